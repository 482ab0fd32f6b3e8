/** The model's rules of outlays: disbursements of the help fund, their corrections, platform entries, settlements of the gateway. */
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Books, type OutlayBook, SYSTEM } from './model-books.ts'
import type { OpOf } from './model-ops.ts'

const no = (code: string) => ({ ok: false, code })
const yes = (value: unknown) => ({ ok: true, value })
type Part = { readonly day: IstDay; readonly paise: bigint }

/** The answer to an id that is known, or to bills that are used. */
function known(books: Books, kinds: readonly string[], asked: Omit<OutlayBook, 'parts'>): unknown {
  const same = [...books.outlays.values()].find(({ kind, id }) => kinds.includes(kind) && id === asked.id)
  if (same === undefined) return undefined
  const isSame =
    same.kind === asked.kind &&
    same.amount === asked.amount &&
    same.corrects === asked.corrects &&
    same.receipts.toSorted().join() === asked.receipts.toSorted().join()
  if (!isSame) return no('idempotency_mismatch')
  return yes({ replayed: true, ...(same.parts === undefined ? {} : { days: same.parts }) })
}

const isUsed = (books: Books, receipts: readonly string[]): boolean =>
  new Set(receipts).size < receipts.length ||
  [...books.outlays.values()].some((other) => other.receipts.some((receipt) => receipts.includes(receipt)))

/** The rest of each day's share, the oldest first. */
function openDays(books: Books): Part[] {
  const open = new Map<IstDay, bigint>()
  const add = (day: IstDay, amount: bigint): unknown => open.set(day, (open.get(day) ?? 0n) + amount)
  for (const { day, paise } of books.cameIn) add(day, paise)
  for (const { corrects, parts } of books.outlays.values())
    for (const { day, paise } of parts ?? []) add(day, corrects === undefined ? -paise : paise)
  return [...open].map(([day, paise]) => ({ day, paise })).toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

function takeFrom(days: readonly Part[], amount: bigint): Part[] | undefined {
  const parts: Part[] = []
  let due = amount
  for (const { day, paise } of days) {
    const some = paise < due ? paise : due
    if (some > 0n) parts.push({ day, paise: some })
    due -= some
  }
  return due > 0n ? undefined : parts
}

export function disburse(books: Books, { id, amount, receipts }: OpOf<'disburse'>): unknown {
  const asked = { kind: 'disbursement', id, amount, receipts, corrects: undefined }
  const answer = known(books, ['disbursement', 'disbursement_back'], asked)
  if (answer !== undefined) return answer
  if (isUsed(books, receipts)) return no('receipt_used')
  const parts = takeFrom(openDays(books), amount)
  if (parts === undefined) return no('insufficient_funds')
  books.outlays.set(`disbursement ${id}`, { ...asked, parts })
  books.move('disbursement', id, SYSTEM.HELP_FUND, SYSTEM.BANK, amount)
  return yes({ replayed: false, days: parts })
}

export function correct(books: Books, { id, corrects, amount, receipts }: OpOf<'correct'>): unknown {
  const asked = { kind: 'disbursement_back', id, amount, receipts, corrects }
  const answer = known(books, ['disbursement', 'disbursement_back'], asked)
  if (answer !== undefined) return answer
  const original = books.outlays.get(`disbursement ${corrects}`)
  if (original === undefined) return no('disbursement_not_found')
  if (isUsed(books, receipts)) return no('receipt_used')
  const back = [...books.outlays.values()].filter((other) => other.corrects === corrects).flatMap(({ parts }) => parts ?? [])
  const left = (original.parts ?? []).map(({ day, paise }) => ({
    day,
    paise: back.reduce((sum, part) => (part.day === day ? sum - part.paise : sum), paise),
  }))
  const parts = takeFrom(left.toReversed(), amount)
  if (parts === undefined) return no('correction_too_large')
  books.outlays.set(`disbursement_back ${id}`, { ...asked, parts })
  books.move('disbursement_back', id, SYSTEM.BANK, SYSTEM.HELP_FUND, amount)
  return yes({ replayed: false, days: parts })
}

export function house(books: Books, { kind, id, amount, receipts }: OpOf<'house'>): unknown {
  const { PLATFORM, BANK, TAX_WITHHELD, LOSSES, GATEWAY_FEES } = SYSTEM
  const asked = { kind, id, amount, receipts, corrects: undefined }
  const answer = known(books, ['platform_out', 'tds_remitted', 'losses_covered'], asked)
  if (answer !== undefined) return answer
  if (isUsed(books, receipts)) return no('receipt_used')
  const has = (account: bigint): bigint => books.accounts.get(account) ?? 0n
  const share = has(PLATFORM) + has(GATEWAY_FEES)
  const lost = has(LOSSES) < 0n ? -has(LOSSES) : 0n
  const most = { platform_out: share - lost, losses_covered: share < lost ? share : lost, tds_remitted: has(TAX_WITHHELD) }[kind]
  if (most < amount) return no('insufficient_funds')
  books.outlays.set(`${kind} ${id}`, { ...asked, parts: undefined })
  const [from, to] = { platform_out: [PLATFORM, BANK], losses_covered: [PLATFORM, LOSSES], tds_remitted: [TAX_WITHHELD, BANK] }[kind]
  books.move(kind, id, from as bigint, to as bigint, amount)
  return yes({ replayed: false })
}

export function gatewaySettlement(books: Books, { id, reference, amount, fee, receipts }: OpOf<'gateway settlement'>): unknown {
  const { BANK, GATEWAY, GATEWAY_FEES } = SYSTEM
  const asked = { kind: 'gateway_settled', id, amount, receipts, corrects: undefined }
  const before = books.settlements.get(id)
  if (before !== undefined && (before.reference !== reference || before.fee !== fee)) return no('idempotency_mismatch')
  const answer = known(books, ['gateway_settled'], asked)
  if (answer !== undefined) return answer
  if (isUsed(books, receipts)) return no('receipt_used')
  if ([...books.settlements.values()].some((other) => other.reference === reference)) return no('settlement_known')
  if (amount + fee > -(books.accounts.get(GATEWAY) ?? 0n)) return no('settlement_exceeds_owed')
  books.settlements.set(id, { reference, fee })
  books.outlays.set(`gateway_settled ${id}`, { ...asked, parts: undefined })
  books.move('gateway_settled', id, BANK, GATEWAY, amount)
  if (fee > 0n) books.move('gateway_settled', `${id}#fee`, GATEWAY_FEES, GATEWAY, fee)
  return yes({ replayed: false })
}
