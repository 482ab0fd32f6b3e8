/**
 * Forgeries of a dishonest operator: each takes an honest set of published files, changes one thing, and signs and hashes all of it again
 * with the operator's own keys.
 *
 * - `verdict` is what both programs must say.
 * - A forgery that passes must be named in chapter 16 of spec/protocol.md, at `named`.
 */
import { compare } from '../src/bytes.ts'
import { ticketOf } from '../src/draw.ts'
import { verifierKeyOf } from '../src/note.ts'
import type { Verdict } from '../src/steps.ts'
import { type Flows, receipt } from './books-maker.ts'
import { BEACON, DAY, DAY_BEFORE, makeSite, memberKey, secretOf, SPLIT_A, type Tamper } from './site-maker.ts'
import { type Done, tampered } from './tampers.ts'

type Forgery = { readonly what: string; readonly make: () => Done; readonly verdict: Verdict; readonly named?: string }

const own = (member: number): Uint8Array => ticketOf(memberKey(member), DAY)
/** Replaces the last tickets by tickets of the operator's own members. */
const withOwn = (count: number): Done => ({
  files: makeSite({}, BEACON, (tickets) =>
    [...tickets.slice(0, tickets.length - count), ...Array.from({ length: count }, (_, i) => own(900 + i))].sort(compare),
  ),
})
const site = (tamper: Tamper) => (): Done => ({ files: makeSite(tamper) })
const known = (name: string) => (): Done => tampered(name)
const more = (flows: Flows, kind: string, paise: number): void => {
  const flow = flows.find((one) => one.kind === kind)
  if (flow === undefined) throw new Error(`no flow ${kind}`)
  flow.paise += paise
}
const moved = (kind: string, from: string, to: string, paise: number) => ({ kind, from, to, paise })
/** A witness that the reader knows, and that never saw this log. */
const ofReader = verifierKeyOf({ name: 'witness-of-the-reader.example', algorithm: 4, secret: secretOf('a witness of the reader') })

export const FORGERIES: Readonly<Record<string, Forgery>> = {
  // The list, and when it was sealed.
  'cosigned-in-1970': { what: 'cosignatures of 1970', make: known('cosigned-in-1970-and-called-sealed'), verdict: 'WEAK' },
  'cosigned-before': { what: 'cosignatures of the day before the seal', make: known('cosigned-the-day-before'), verdict: 'WEAK' },
  'cosigned-late': { what: 'cosignatures after the random number was known', make: known('sealed-too-late'), verdict: 'WEAK' },
  'sealed-days-ago': {
    what: 'a list sealed before its day, for a random number of long ago',
    make: known('sealed-before-its-day'),
    verdict: 'FAIL',
  },
  'sealed-out-of-order': {
    what: 'a list sealed before the list of the day before',
    make: known('sealed-before-yesterday'),
    verdict: 'FAIL',
  },
  'one-key-as-quorum': { what: 'one key as two witnesses', make: known('witness-named-twice'), verdict: 'FAIL' },
  'log-as-witness': { what: 'the log as its own witness', make: known('log-as-witness'), verdict: 'FAIL' },
  'quorum-of-one': { what: 'a quorum of one of three', make: known('quorum-too-small'), verdict: 'FAIL' },
  'witnesses-of-the-house': { what: 'three witnesses that the operator runs', make: site({}), verdict: 'PASS', named: 'witnesses' },
  'witnesses-of-the-house-found': {
    what: 'the same, checked by a reader who names a witness',
    make: () => ({ files: makeSite(), options: { witnesses: [ofReader] } }),
    verdict: 'WEAK',
  },
  'ticket-twice': { what: 'one ticket twice in the list', make: known('ticket-twice'), verdict: 'FAIL' },
  'entry-dropped': { what: 'an entrant is left out, and has a receipt', make: known('entry-dropped'), verdict: 'FAIL' },
  'entry-replaced': {
    what: 'an entrant without a receipt is left out for a member of the house',
    make: () => withOwn(1),
    verdict: 'PASS',
    named: 'dropped-entry',
  },
  'own-entries': { what: 'half of the entrants are the operator', make: () => withOwn(3), verdict: 'PASS', named: 'own-entries' },
  // The draw.
  'randomness-chosen': { what: 'randomness of the operator’s choice', make: known('randomness-chosen'), verdict: 'FAIL' },
  'seed-chosen': { what: 'a seed of the operator’s choice', make: known('seed-chosen'), verdict: 'FAIL' },
  'another-round': { what: 'the next round of the beacon', make: known('another-round'), verdict: 'FAIL' },
  'own-beacon': { what: 'a beacon of the operator’s own', make: known('own-beacon'), verdict: 'WEAK' },
  'own-beacon-renamed': { what: 'the same under the name of the known one', make: known('own-beacon-under-a-known-name'), verdict: 'FAIL' },
  'second-draw': { what: 'a second result', make: known('second-result'), verdict: 'FAIL' },
  'another-winner': { what: 'the prize for a ticket that was not picked', make: known('winner-ticket'), verdict: 'FAIL' },
  'policy-of-ones-own': { what: 'a tenth for the platform where the policy has none', make: known('policy-of-ones-own'), verdict: 'FAIL' },
  'taxed-to-nothing': { what: 'a tax of the whole prize', make: known('taxed-to-nothing'), verdict: 'WEAK' },
  // The log.
  'day-left-out': { what: 'a day is left out', make: known('day-skipped'), verdict: 'FAIL' },
  'past-rewritten': { what: 'an old record is rewritten', make: known('past-rewritten'), verdict: 'FAIL' },
  'key-backwards': { what: 'the log’s key is replaced as of a day in the past', make: known('rotated-in-the-past'), verdict: 'FAIL' },
  'key-retired': { what: 'the replaced key signs on', make: known('old-key-after-rotation'), verdict: 'FAIL' },
  // The money.
  'prize-to-the-house': {
    what: 'a part of the prize goes to the platform',
    make: site({
      flows: (flows) => {
        more(flows, 'prize', -20)
        flows.push(moved('platform', `POOL:${DAY_BEFORE}`, 'PLATFORM', 20))
      },
    }),
    verdict: 'FAIL',
  },
  'help-counted-twice': { what: 'one receipt proves two disbursements', make: known('evidence-twice'), verdict: 'FAIL' },
  'help-of-a-day-exceeded': { what: 'a day’s share of help is given twice', make: known('day-given-twice'), verdict: 'FAIL' },
  'help-too-small': { what: 'a rupee of the help goes to the platform', make: known('need-too-small'), verdict: 'FAIL' },
  'parts-left-out': {
    what: 'fewer debts are published than the accounts have',
    make: site({ parts: (parts) => parts.slice(1) }),
    verdict: 'FAIL',
  },
  'yesterday-exchanged': { what: 'the books of yesterday are exchanged', make: known('yesterday-exchanged'), verdict: 'FAIL' },
  'opening-moved': { what: 'a loss is moved between two days', make: known('opening-moved'), verdict: 'FAIL' },
  'balance-below-zero': {
    what: 'money is refunded out of an empty account',
    make: site({ flows: (flows) => void flows.push(moved('suspense_refund', 'SUSPENSE', 'REFUNDS_PENDING', 500)) }),
    verdict: 'FAIL',
  },
  'share-overdrawn': { what: 'the platform takes more than its share', make: known('share-overdrawn'), verdict: 'FAIL' },
  'share-paid-first': {
    what: 'the platform takes its share before it covered fees',
    make: known('share-paid-before-fees'),
    verdict: 'FAIL',
  },
  'fees-beyond-the-share': { what: 'fees beyond the platform’s share', make: known('fees-beyond-the-share'), verdict: 'WEAK' },
  'losses-beyond-all-money': { what: 'losses beyond all that members own', make: known('losses-beyond-all-money'), verdict: 'WEAK' },
  'suspense-paid': { what: 'money in suspense is paid out without evidence', make: known('paid-without-evidence'), verdict: 'WEAK' },
  'debt-without-a-loss': { what: 'a debt is paid where nothing was lost', make: known('debt-without-a-loss'), verdict: 'WEAK' },
  'fees-within-the-share': {
    what: 'invented fees, which only use up the platform’s own share',
    make: site({
      splitBefore: SPLIT_A,
      flows: (flows) => void flows.push(moved('gateway_settled', 'GATEWAY_FEES', 'GATEWAY', 50)),
    }),
    verdict: 'PASS',
    named: 'own-share',
  },
  'topup-invented': {
    what: 'a member of the house is credited money that never came',
    make: site({ flows: (flows) => more(flows, 'topup', 50_000) }),
    verdict: 'PASS',
    named: 'bank',
  },
  'settlement-invented': {
    what: 'the bank is said to have what the gateway never sent',
    make: site({ flows: (flows) => more(flows, 'gateway_settled', 50_000) }),
    verdict: 'PASS',
    named: 'bank',
  },
  'recovery-invented': {
    what: 'fees beyond the share, hidden by a loss that is said to have come back',
    make: site({
      flows: (flows) =>
        void flows.push(moved('gateway_settled', 'GATEWAY_FEES', 'GATEWAY', 2000), moved('wd_conflict_back', 'BANK', 'LOSSES', 2000)),
    }),
    verdict: 'PASS',
    named: 'bank',
  },
  'balance-hidden': {
    what: 'a withdrawal that nobody asked for shrinks what members are owed',
    make: site({
      flows: (flows) => {
        more(flows, 'wd_hold', 900)
        more(flows, 'wd_paid', 900)
      },
    }),
    verdict: 'PASS',
    named: 'omitted-debt',
  },
  'gift-invented': {
    what: 'a member’s balance is called a gift',
    make: site({ flows: (flows) => void flows.push(moved('gift', 'MEMBERS', 'HELP_FUND', 500)) }),
    verdict: 'PASS',
    named: 'omitted-debt',
  },
  'suspense-to-a-friend': {
    what: 'a payment whose owner is not clear is credited to a member of the house',
    make: site({
      flows: (flows) =>
        void flows.push(moved('topup_suspense', 'GATEWAY', 'SUSPENSE', 900), moved('suspense_credit', 'SUSPENSE', 'MEMBERS', 900)),
    }),
    verdict: 'PASS',
    named: 'suspense',
  },
  'help-to-oneself': {
    what: 'the evidence of a disbursement is a document that proves nothing',
    make: site({ books: ({ help }) => void Object.assign(help.disbursements[0] as object, { evidence: [receipt('an empty sheet')] }) }),
    verdict: 'PASS',
    named: 'evidence',
  },
  'tax-kept': {
    what: 'withheld tax is said to be remitted',
    make: site({ books: ({ house }) => void Object.assign(house[0] as object, { evidence: [receipt('no challan')] }) }),
    verdict: 'PASS',
    named: 'evidence',
  },
}
