/** Makes valid books of a day from a list of flows. A tamper may change flows before the accounts are computed from them. */
import { ascii, toHex } from '../src/bytes.ts'
import type { Books } from '../src/books.ts'
import type { RecordOf } from '../src/records.ts'
import { sha256 } from '../src/sha256.ts'

const ALWAYS = [
  'BANK',
  'GATEWAY',
  'GATEWAY_FEES',
  'HELP_FUND',
  'LOSSES',
  'MEMBERS',
  'PAYOUTS_PENDING',
  'PLATFORM',
  'REFUNDS_PENDING',
  'SUSPENSE',
  'TAX_WITHHELD',
]

type Flow = { kind: string; from: string; to: string; paise: number }
export type Flows = Flow[]

type Plan = {
  readonly day: string
  readonly entries: number
  readonly members: number
  readonly before: Books | undefined
  /** The result that is settled on this day. */
  readonly settled: RecordOf['result'] | undefined
}

export function makeBooks({ day, entries, members, before, settled }: Plan, change?: (flows: Flows) => void): Books {
  const flows: Flows = [
    { kind: 'topup', from: 'GATEWAY', to: 'MEMBERS', paise: 5000 * members },
    { kind: 'join', from: 'MEMBERS', to: `POOL:${day}`, paise: 100 * entries },
    ...(settled === undefined ? [] : settlementFlows(settled)),
    { kind: 'wd_hold', from: 'MEMBERS', to: 'PAYOUTS_PENDING', paise: 1300 },
    ...(before === undefined ? [] : [{ kind: 'wd_paid', from: 'PAYOUTS_PENDING', to: 'BANK', paise: 1300 }]),
    { kind: 'gift', from: 'MEMBERS', to: 'HELP_FUND', paise: before === undefined ? 90 : 0 },
    { kind: 'disbursement', from: 'HELP_FUND', to: 'BANK', paise: before === undefined ? 60 : 120 },
    { kind: 'disbursement_back', from: 'BANK', to: 'HELP_FUND', paise: before === undefined ? 0 : 20 },
    { kind: 'tds_remitted', from: 'TAX_WITHHELD', to: 'BANK', paise: settled === undefined ? 0 : 1 },
    ...(before === undefined ? [] : [{ kind: 'gateway_settled', from: 'BANK', to: 'GATEWAY', paise: 2000 }]),
  ].filter(({ paise }) => paise > 0)
  change?.(flows)
  const ordered = flows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const accounts = accountsOf(ordered, before)
  const closing = (name: string): number => accounts.find(({ account }) => account === name)?.closing ?? 0
  const fund = accounts.find(({ account }) => account === 'HELP_FUND')
  const owed = closing('MEMBERS') + closing('PAYOUTS_PENDING') + closing('REFUNDS_PENDING')
  return {
    v: 1,
    day,
    intake: { count: entries, paise: 100 * entries },
    settlements: settled === undefined ? [] : [settlementOf(settled)],
    returns: [],
    ...helpOf(ordered, { day, before, settled, fund }),
    flows: ordered,
    accounts,
    liabilities: { count: 0, root: '', total: owed },
  }
}

type Fund = Books['accounts'][number] | undefined
export const receipt = (of: string): string => toHex(sha256(ascii(of)))

/** One entry of each kind that flowed; the oldest days give first, and a correction is of yesterday's disbursement. */
function helpOf(
  flows: readonly Flow[],
  { day, before, settled, fund }: Pick<Plan, 'day' | 'before' | 'settled'> & { readonly fund: Fund },
): Pick<Books, 'help' | 'house'> {
  const flowed = (kind: string): number => flows.find((flow) => flow.kind === kind)?.paise ?? 0
  const open = new Map((before?.help.open ?? []).map((part) => [part.day, part.paise]))
  const add = (to: string, paise: number): unknown => open.set(to, (open.get(to) ?? 0) + paise)
  if (settled !== undefined) add(settled.day, settled.shares.need)
  add(day, flowed('gift'))
  const [spent, back] = [flowed('disbursement'), flowed('disbursement_back')]
  const days: { day: string; paise: number }[] = []
  let due = spent
  for (const [from, paise] of [...open].sort()) {
    const some = Math.min(paise, due)
    if (some > 0) days.push({ day: from, paise: some })
    add(from, -some)
    due -= some
  }
  const corrected = before?.help.disbursements[0]
  const returned = [{ day: corrected?.days[0]?.day ?? day, paise: back }]
  if (back > 0) add(returned[0]?.day ?? day, back)
  const house = ['losses_covered', 'platform_out', 'tds_remitted'].flatMap((kind) =>
    flowed(kind) === 0 ? [] : [{ evidence: [receipt(`${kind} ${day}`)], kind, paise: flowed(kind) }],
  )
  return {
    help: {
      closing: fund?.closing ?? 0,
      corrections:
        back === 0 ? [] : [{ corrects: corrected?.evidence[0] ?? '', days: returned, evidence: [receipt(`back ${day}`)], paise: back }],
      disbursements:
        spent === 0
          ? []
          : [{ days, evidence: [receipt(`a scanned receipt of ${day}`), receipt(`a photo of ${day}`)].sort(), paise: spent }],
      in: fund?.in ?? 0,
      open: [...open]
        .sort()
        .filter(([, paise]) => paise > 0)
        .map(([one, paise]) => ({ day: one, paise })),
      opening: fund?.opening ?? 0,
    },
    house: house.sort((a, b) => ((a.evidence[0] as string) < (b.evidence[0] as string) ? -1 : 1)),
  }
}

const keyOf = ({ kind, from, to }: Flow): string => `${kind}\n${from}\n${to}`

const settlementOf = ({ day, shares, winners }: RecordOf['result']): Books['settlements'][number] => ({
  need: shares.need,
  platform: shares.platform,
  round: day,
  winners: winners.map(({ amount, tax, ticket }) => ({ amount, tax, ticket })),
})

function settlementFlows({ day, shares, winners }: RecordOf['result']): Flow[] {
  const from = `POOL:${day}`
  const tax = winners.reduce((sum, winner) => sum + winner.tax, 0)
  return [
    { kind: 'prize', from, to: 'MEMBERS', paise: winners.reduce((sum, { amount }) => sum + amount, 0) - tax },
    { kind: 'tax', from, to: 'TAX_WITHHELD', paise: tax },
    { kind: 'need', from, to: 'HELP_FUND', paise: shares.need },
    { kind: 'platform', from, to: 'PLATFORM', paise: shares.platform },
  ]
}

function accountsOf(flows: readonly Flow[], before: Books | undefined): Books['accounts'] {
  const openings = new Map((before?.accounts ?? []).map(({ account, closing }) => [account, closing]))
  const names = new Set([...ALWAYS, ...flows.flatMap(({ from, to }) => [from, to]), ...openings.keys()])
  const sum = (of: readonly Flow[]): number => of.reduce((total, { paise }) => total + paise, 0)
  return [...names].sort().flatMap((account) => {
    const opening = openings.get(account) ?? 0
    const [taken, out] = [sum(flows.filter(({ to }) => to === account)), sum(flows.filter(({ from }) => from === account))]
    const isIdle = opening === 0 && taken === 0 && out === 0 && account.startsWith('POOL:')
    return isIdle ? [] : [{ account, closing: opening + taken - out, in: taken, opening, out }]
  })
}
