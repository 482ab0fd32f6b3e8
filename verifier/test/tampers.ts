/** Implements each entry of tampers.json. The cheat owns the log's key and makes all later pieces consistent. */
import { ed25519 } from '@noble/curves/ed25519.js'
import { ascii, compare, concat, fromHex, toHex, u64 } from '../src/bytes.ts'
import { canonicalBytes, type Json } from '../src/canonical.ts'
import { startOfDayMs } from '../src/day.ts'
import { seedOf } from '../src/draw.ts'
import { beaconRound } from '../src/beacon.ts'
import { cosign, readCheckpoint, type Signer, signNote, verifierKeyOf, writeNote } from '../src/note.ts'
import { sha256 } from '../src/sha256.ts'
import type { VerifyOptions } from '../src/verify.ts'
import {
  BEACON,
  beaconOf,
  checkpointOf,
  type CloseRecord,
  closeRecord,
  DAY,
  DAY_BEFORE,
  drawAgain,
  listOf,
  LOG,
  makeSite,
  memberKey,
  NEXT_LOG,
  openRecord,
  ORIGIN,
  receiptFor,
  type ResultRecord,
  secretOf,
  type Tamper,
  ticketsOf,
  utf,
  WITNESSES,
} from './site-maker.ts'
import { ticketOf } from '../src/draw.ts'
import { receipt } from './books-maker.ts'
import { MONEY_TAMPERS } from './money-tampers.ts'

export type Done = { readonly files: Map<string, Uint8Array>; readonly options?: VerifyOptions }

const edit = (path: string, change: (bytes: Uint8Array) => Uint8Array): Tamper => ({
  files: (files) => files.set(path, change(files.get(path) as Uint8Array)),
})
const editJson = (path: string, change: (value: Loose) => void): Tamper =>
  edit(path, (bytes) => {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as Loose
    change(value)
    return canonicalBytes(value as Json)
  })
type Loose = Record<string, unknown>
const shownIn = (draws: Loose): { index: number; record: Loose }[] => draws.records as { index: number; record: Loose }[]

const [TICKETS, SEALED, DRAW, BOOKS, PARTS] = [
  `draws/${DAY}/tickets`,
  `log/sealed/${DAY}`,
  `draws/${DAY}`,
  `books/${DAY}`,
  `liabilities/${DAY}`,
]
const plan = { day: DAY, tickets: ticketsOf(7, DAY) }
const list = listOf(plan.tickets)
const theOpen = openRecord(plan)
const theClose = closeRecord(plan, theOpen)
const inLog = (files: Map<string, Uint8Array>, size?: number): Uint8Array[] =>
  new TextDecoder().decode(files.get('log/entries/0')).trimEnd().split('\n').slice(0, size).map(ascii)
const swap = (bytes: Uint8Array, size: number, a: number, b: number): Uint8Array => {
  const one = (index: number): Uint8Array => bytes.subarray(index * size, (index + 1) * size)
  return concat(bytes.subarray(0, a * size), one(b), bytes.subarray((a + 1) * size, b * size), one(a), bytes.subarray((b + 1) * size))
}
/** Replaces the signature lines of a note. */
const resigned = (
  path: string,
  change: (
    lines: ReturnType<typeof readCheckpoint>['note']['signatures'],
    text: string,
  ) => ReturnType<typeof readCheckpoint>['note']['signatures'],
): Tamper =>
  edit(path, (bytes) => {
    const { text, signatures } = readCheckpoint(bytes).note
    return utf(writeNote({ text, signatures: change(signatures, text) }))
  })
const stranger: Signer = { name: 'stranger.example', algorithm: 4, secret: secretOf('a stranger') }
const calledWeak = editJson(DRAW, (draws) => Object.assign(draws, { assurance: 'weak' }))
const again = (result: ResultRecord, change: (result: ResultRecord) => void, close: CloseRecord = theClose): void => {
  change(result)
  result.seed = seedOf(close, theOpen.draw.chainHash, close.round, result.randomness)
  drawAgain(result, theOpen, close, list)
}
const withSignature = (result: ResultRecord, signature: string): void =>
  again(result, (one) => Object.assign(one, { signature, randomness: toHex(sha256(fromHex(signature))) }))
const entriesChanged =
  (change: (records: Loose[]) => void): Tamper['log'] =>
  (records) =>
    change(records as unknown as Loose[])
const find = (records: Loose[], kind: string, day: string): Loose => records.find((one) => one.kind === kind && one.day === day) as Loose
/** Seals at another time, with the round that this time demands. */
function sealedOn(close: CloseRecord, sealedAt: number): void {
  const { draw } = theOpen
  close.sealedAt = sealedAt
  if (draw.mode === 'beacon') close.round = beaconRound(sealedAt, draw.genesis, draw.period)
}
const nextDay = '2026-08-03'
const another = ticketOf(memberKey(77), DAY)

const TAMPERS: Readonly<Record<string, Tamper>> = {
  ...MONEY_TAMPERS,
  'checkpoint-by-a-stranger': resigned('log/checkpoint', ([, ...others], text) => [
    signNote(text, { ...NEXT_LOG, secret: secretOf('a stranger') }),
    ...others,
  ]),
  'old-key-after-rotation': resigned('log/checkpoint', ([, ...others], text) => [signNote(text, LOG), ...others]),
  'rotation-unsigned': {
    key: (record) => Object.assign(record, { signature: record.signature.replace(/^../, (digits) => (digits === '00' ? '01' : '00')) }),
  },
  'another-key-shown': edit('log/key', () => ascii(`${verifierKeyOf({ ...LOG, secret: secretOf('a stranger') })}\n`)),
  'cosignature-forged': resigned(
    SEALED,
    ([own, a, b, c]) =>
      [own, a, b, { ...c, signature: concat(c?.signature.subarray(0, 71) ?? (a?.signature as never), Uint8Array.of(1)) }] as never,
  ),
  'cosignature-by-nobody': resigned(
    'log/checkpoint',
    (lines, text) => [lines[0], cosign(text, stranger, 1_800_000_000), ...lines.slice(1)] as never,
  ),
  'cosignatures-out-of-order': resigned(SEALED, ([own, a, b, c]) => [own, b, a, c] as never),
  'cosignature-twice': resigned(SEALED, ([own, a, b, c]) => [own, a, b, b, c] as never),
  'past-rewritten': edit('log/entries/0', (bytes) => utf(new TextDecoder().decode(bytes).replace('"above":50', '"above":51'))),
  'sealed-another-log': {
    files: (files) => {
      const shown = [...inLog(files, 8).slice(0, -1), ascii('{"another":"close"}')]
      files.set(
        SEALED,
        utf(checkpointOf(shown, NEXT_LOG, (text) => WITNESSES.map((one) => cosign(text, one, Math.floor(theClose.sealedAt / 1000) + 60)))),
      )
    },
  },
  'record-of-no-kind': { log: entriesChanged((records) => Object.assign(find(records, 'close', DAY_BEFORE), { more: 1 })) },
  'day-skipped': { log: entriesChanged((records) => Object.assign(find(records, 'open', nextDay), { day: '2026-08-04' })) },
  'second-result': {
    log: (records) => void records.push(structuredClone(find(records as unknown as Loose[], 'result', DAY_BEFORE)) as Json),
  },
  'result-after-void': { log: (records) => void records.push({ v: 1, kind: 'void', day: DAY_BEFORE, reason: 'beacon', returned: 500 }) },
  'quorum-too-small': {
    log: entriesChanged((records) => Object.assign(find(records, 'open', nextDay).witnesses as Loose, { quorum: 1 })),
  },
  'log-as-witness': {
    log: entriesChanged((records) => {
      const keys = [verifierKeyOf({ name: ORIGIN, algorithm: 4, secret: LOG.secret }), ...WITNESSES.map(verifierKeyOf)].sort()
      Object.assign(find(records, 'open', nextDay).witnesses as Loose, { keys, quorum: 3 })
    }),
  },
  'witness-named-twice': {
    log: entriesChanged((records) => {
      const [first] = WITNESSES
      const keys = [...WITNESSES, { ...(first as Signer), name: 'witness-d.example' }].map(verifierKeyOf).sort()
      Object.assign(find(records, 'open', nextDay).witnesses as Loose, { keys, quorum: 3 })
    }),
  },
  'draw-file-differs': editJson(DRAW, (draws) => Object.assign(shownIn(draws)[1]?.record as Loose, { count: 8 })),
  'draw-file-moved': editJson(DRAW, (draws) => Object.assign(shownIn(draws)[1] as Loose, { index: 6 })),
  'draw-file-long': editJson(DRAW, (draws) => {
    const [, , last] = shownIn(draws)
    shownIn(draws).push({ index: 1_000_000, record: { ...last?.record, seed: '33'.repeat(32) } })
  }),
  'draw-file-short': editJson(DRAW, (draws) => void shownIn(draws).pop()),
  'books-exchanged': editJson(BOOKS, (books) =>
    Object.assign((books.help as { disbursements: Loose[] }).disbursements[0] as Loose, { evidence: ['00'.repeat(32)] }),
  ),
  'ticket-exchanged': edit(TICKETS, (bytes) => {
    const winners = new Set(drawn().map(({ position }) => position))
    const position = [1, 2, 3, 4, 5].find((one) => !winners.has(one)) as number
    const changed = bytes.slice()
    changed[position * 32 + 31] = (changed[position * 32 + 31] as number) ^ 1
    return changed
  }),
  'ticket-dropped': edit(TICKETS, (bytes) => bytes.slice(0, -32)),
  'ticket-added': edit(TICKETS, (bytes) => concat(bytes, new Uint8Array(32).fill(255))),
  'tickets-swapped': edit(TICKETS, (bytes) => {
    const winners = new Set(drawn().map(({ position }) => position))
    const [a, b] = [0, 1, 2, 3, 4, 5, 6].filter((one) => !winners.has(one)) as [number, number]
    return swap(bytes, 32, a, b)
  }),
  'late-and-called-sealed': { cosignedAt: (seconds) => seconds + 900 },
  'sealed-too-late': { cosignedAt: (seconds) => seconds + 900, ...calledWeak },
  'cosigned-in-1970': { cosignedAt: () => 1, ...calledWeak },
  'cosigned-in-1970-and-called-sealed': { cosignedAt: () => 1 },
  'cosigned-the-day-before': { cosignedAt: (seconds) => seconds - 86_400, ...calledWeak },
  'one-cosignature-too-early': {
    cosignedAt: (seconds, witness) => (witness === 2 ? undefined : seconds - (witness === 1 ? 121 : 0)),
    ...calledWeak,
  },
  'sealed-before-its-day': { close: (close) => sealedOn(close, startOfDayMs(DAY) - 1) },
  'sealed-before-yesterday': {
    close: (close) => sealedOn(close, startOfDayMs(DAY) + 3_600_000),
    log: entriesChanged((records) => Object.assign(find(records, 'close', DAY_BEFORE), { sealedAt: startOfDayMs(DAY) + 7_200_000 })),
  },
  'one-witness-only': { cosignedAt: (seconds, witness) => (witness === 1 ? seconds : undefined), ...calledWeak },
  'sealed-and-called-weak': calledWeak,
  'sealed-before-close': {
    files: (files) => {
      const seconds = Math.floor(theClose.sealedAt / 1000) + 60
      const before = checkpointOf(inLog(files, 7), NEXT_LOG, (text) => WITNESSES.map((one) => cosign(text, one, seconds - 60)))
      files.set(SEALED, concat(utf(before), files.get(SEALED) as Uint8Array))
    },
  },
  'another-round': {
    close: (close) => Object.assign(close, { round: close.round + 1 }),
  },
  'sealed-at-moved': {
    close: (close) => {
      const { draw } = theOpen
      close.sealedAt -= 60_000
      if (draw.mode === 'beacon') close.round = beaconRound(close.sealedAt + 60_000, draw.genesis, draw.period)
    },
  },
  'another-signature': { result: (result) => withSignature(result, BEACON.sign(theClose.round + 1)) },
  'randomness-chosen': { result: (result) => again(result, (one) => Object.assign(one, { randomness: '11'.repeat(32) })) },
  'own-beacon-under-a-known-name': {
    open: ({ draw }) => Object.assign(draw, { publicKey: beaconOf('mine').draw.publicKey }),
    result: (result) => withSignature(result, beaconOf('mine').sign(theClose.round)),
  },
  'period-beyond-its-bytes': {
    open: ({ draw }) => {
      if (draw.mode === 'beacon') draw.period += 2 ** 32
    },
  },
  'seed-chosen': {
    result: (result) => {
      result.seed = '22'.repeat(32)
      drawAgain(result, theOpen, theClose, list)
    },
  },
  'winner-position': {
    result: ({ winners }) => {
      const position = [0, 1, 2].find((one) => winners.every((winner) => winner.position !== one)) as number
      Object.assign(winners[0] as object, { position, ticket: list.at(position) })
    },
  },
  'winner-ticket': { result: ({ winners }) => Object.assign(winners[0] as object, { ticket: toHex(another) }) },
  'winners-order': { result: ({ winners }) => void winners.reverse() },
  'winner-missing': { result: ({ winners }) => void winners.pop() },
  'prize-too-large': { result: ({ winners }) => Object.assign(winners[0] as object, { amount: (winners[0]?.amount ?? 0) + 1 }) },
  'tax-kept': { result: ({ winners }) => Object.assign(winners[1] as object, { tax: (winners[1]?.tax ?? 0) + 1 }) },
  'need-too-small': { result: ({ shares }) => Object.assign(shares, { need: shares.need - 100, platform: shares.platform + 100 }) },
  'policy-of-ones-own': {
    open: ({ split }) => Object.assign(split, { need: 60, platform: 10 }),
    result: ({ shares }) => Object.assign(shares, { need: 420, platform: 70 }),
  },
  'flow-hidden': {
    books: (books) =>
      void books.flows.splice(
        books.flows.findIndex(({ kind }) => kind === 'gateway_settled'),
        1,
      ),
  },
  'closing-wrong': { books: ({ accounts }) => Object.assign(accounts.find(({ account }) => account === 'BANK') as object, { closing: 1 }) },
  'pool-robbed': { flows: (flows) => void flows.push({ kind: 'platform', from: `POOL:${DAY}`, to: 'PLATFORM', paise: 100 }) },
  'fund-robbed': { flows: (flows) => void flows.push({ kind: 'need', from: 'HELP_FUND', to: 'PLATFORM', paise: 10 }) },
  'help-without-evidence': { books: ({ help }) => void Object.assign(help.disbursements[0] as object, { evidence: [] }) },
  'evidence-twice': {
    books: ({ help }) => {
      const evidence = help.disbursements[0]?.evidence ?? []
      help.disbursements = [20, 100].map((paise) => ({ days: [{ day: DAY_BEFORE, paise }], evidence, paise }))
    },
  },
  'evidence-of-another-entry': {
    books: ({ help, house }) => void Object.assign(house[0] as object, { evidence: help.corrections[0]?.evidence }),
  },
  'evidence-of-yesterday': {
    booksBefore: ({ help }) => void Object.assign(help.disbursements[0] as object, { evidence: [receipt(`a photo of ${DAY}`)] }),
    books: ({ help }) => void Object.assign(help.corrections[0] as object, { corrects: receipt(`a photo of ${DAY}`) }),
  },
  'allotment-missing': {
    books: ({ help }) => {
      Object.assign(help.disbursements[0] as object, { days: [] })
      Object.assign(help.open[0] as object, { paise: (help.open[0]?.paise ?? 0) + 120 })
    },
  },
  'allotment-short': {
    books: ({ help }) => {
      Object.assign(help.disbursements[0] as object, { days: [{ day: DAY_BEFORE, paise: 119 }] })
      Object.assign(help.open[0] as object, { paise: (help.open[0]?.paise ?? 0) + 1 })
    },
  },
  'day-given-twice': {
    books: ({ help }) => void Object.assign(help.disbursements[0] as object, { days: [{ day: '2026-07-31', paise: 120 }] }),
  },
  'day-exceeded': {
    books: ({ help }) => {
      const days = [
        { day: DAY_BEFORE, paise: 100 },
        { day: DAY, paise: 20 },
      ]
      Object.assign(help.disbursements[0] as object, { days })
    },
  },
  'newer-help-first': {
    booksBefore: ({ help }) => void (help.open = [{ day: '2026-07-31', paise: 30 }]),
    books: ({ help }) => {
      Object.assign(help.disbursements[0] as object, { days: [{ day: DAY_BEFORE, paise: 120 }] })
      const left = help.closing - 30
      help.open = [
        { day: '2026-07-31', paise: 30 },
        { day: DAY_BEFORE, paise: left },
      ]
    },
  },
  'correction-too-large': {
    flows: (flows) => void Object.assign(flows.find(({ kind }) => kind === 'disbursement_back') as object, { paise: 70 }),
  },
  'correction-without-evidence': { books: ({ help }) => void Object.assign(help.corrections[0] as object, { evidence: [] }) },
  'share-taken-without-evidence': { books: ({ house }) => void Object.assign(house[0] as object, { evidence: [] }) },
  'intake-short': {
    flows: (flows) => Object.assign(flows.find(({ kind }) => kind === 'join') as object, { paise: 600 }),
    books: ({ intake }) => Object.assign(intake, { count: 6, paise: 600 }),
  },
  'settlement-differs': { books: ({ settlements }) => Object.assign(settlements[0]?.winners[0] as object, { ticket: toHex(another) }) },
  'help-differs': { books: ({ help }) => Object.assign(help, { in: help.in + 1 }) },
  'yesterday-exchanged': editJson(`books/${DAY_BEFORE}`, (books) => Object.assign((books.flows as Loose[])[0] as Loose, { paise: 1 })),
  'part-dropped': edit(PARTS, (bytes) => bytes.slice(0, -40)),
  'part-lowered': {
    parts: (parts) => parts.map((part, index) => (index === 3 ? concat(part.subarray(0, 32), u64(amountOf(part) - 1)) : part)),
  },
  'part-too-large': {
    parts: (parts) => {
      const [first, second, ...rest] = [...parts].sort((a, b) => amountOf(b) - amountOf(a)) as [Uint8Array, Uint8Array]
      return [concat(first.subarray(0, 32), u64(amountOf(first) + amountOf(second))), ...(rest as Uint8Array[])].sort(compare)
    },
  },
  'parts-swapped': edit(PARTS, (bytes) => swap(bytes, 40, 2, 3)),
  'part-twice': edit(PARTS, (bytes) => concat(bytes.subarray(0, 80), bytes.subarray(40, 80), bytes.subarray(120))),
  'rules-exchanged': {
    files: (files) =>
      [...files.keys()].filter((path) => path.startsWith('rules/')).forEach((path) => files.set(path, ascii('Other rules.\n'))),
  },
}
const amountOf = (part: Uint8Array): number => Number(new DataView(part.buffer, part.byteOffset + 32, 8).getBigUint64(0))

function drawn(): ResultRecord['winners'] {
  const result = { winners: [] as ResultRecord['winners'] }
  makeSite({ result: ({ winners }) => void (result.winners = winners) })
  return result.winners
}

/** Tampers that need more than changed files: another beacon, a duplicate ticket, receipts. */
const SPECIAL: Readonly<Record<string, () => Done>> = {
  'own-beacon': () => ({ files: makeSite({}, beaconOf('mine')) }),
  'ticket-twice': () => ({
    files: makeSite({}, BEACON, (tickets) => [...tickets.slice(0, 3), tickets[2] as Uint8Array, ...tickets.slice(4)]),
  }),
  'rotated-in-the-past': () => ({
    files: makeSite({
      key: (record) => {
        const message = concat(ascii('roz/v1/key\n2026-07-30'), ed25519.getPublicKey(NEXT_LOG.secret))
        Object.assign(record, { day: '2026-07-30', signature: toHex(ed25519.sign(message, LOG.secret)) })
      },
    }),
    options: { receipt: receiptFor(plan.tickets[0] as Uint8Array, plan.tickets, DAY, NEXT_LOG) },
  }),
  'entry-dropped': () => ({ files: makeSite(), options: { receipt: receiptFor(another, [another, ...plan.tickets], DAY) } }),
  'receipt-of-another-key': () => ({
    files: makeSite(),
    options: { receipt: receiptFor(plan.tickets[0] as Uint8Array, plan.tickets, DAY, { ...LOG, secret: secretOf('a stranger') }) },
  }),
}

export function tampered(name: string): Done {
  const special = SPECIAL[name]
  if (special !== undefined) return special()
  const tamper = TAMPERS[name]
  if (tamper === undefined) throw new Error(`no tamper is named ${name}`)
  return { files: makeSite(tamper) }
}
export const tamperNames = [...Object.keys(TAMPERS), ...Object.keys(SPECIAL)]
