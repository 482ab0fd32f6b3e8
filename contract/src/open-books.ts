/** Calls of published files that everybody can verify (spec/protocol.md, chapter 14), members' own proofs, and days as pages show them. */
import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { purposeLanguage, purposes } from './outlays.ts'
import { received } from './rupee.ts'
import { assurance, count, day, isDemo, nextCursor, page, rupees } from './shapes.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/)
const path = z.array(hash)
const ofDay = z.object({ day: z.string().max(20) })
/** Digits only: `z.coerce` alone would accept an empty text as 0. */
const whole = z
  .string('limit_invalid')
  .regex(/^\d{1,15}$/, 'limit_invalid')
  .pipe(z.coerce.number())

/** A published file; 404 if it does not exist. */
const FILE = { access: 'visitor', output: 'file', refusals: ['not_found'], cache: 'file' } as const

/** The log's signature over a batch of entries, with the inclusion proof of this ticket. */
export const receipt = z.object({
  count,
  index: count,
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
  path,
  signature: z.string().regex(/^[0-9a-f]{128}$/),
  time: count,
})

const amounts = z.object({ need: rupees, reward: rupees, platform: rupees })
/** An entry of the books as the public sees it. */
const proven = {
  id: z.string(),
  date: day.meta({ description: 'The day whose books have it' }),
  amount: rupees,
  purpose: z.string().meta({ description: 'The words of the team; empty if not recorded' }),
  // Not marked as newer, as the totals below.
  language: purposeLanguage,
  translations: purposes,
  hasPictures: z.boolean().meta({ description: 'Each bill that is not withheld is a picture at /api/receipts/{hash}' }),
  withheld: z.array(hash).meta({ description: 'The bills whose picture is withheld, for example because it showed a phone number' }),
  evidence: z.array(hash).meta({ description: 'SHA-256 of each published bill' }),
}
const disbursed = z.object({
  ...proven,
  amount: rupees.meta({ description: 'The whole disbursement, less what came back of it' }),
  allotted: rupees.meta({ description: "Of this day's share" }),
  name: z.string().nullable().meta({ description: 'Who was helped; null: not recorded, or the consent was revoked' }),
  received: received.nullable().meta({ description: 'null: nobody other than the payer has confirmed that it arrived' }),
  back: z.array(z.object(proven)).meta({ description: 'Its corrections: entries of money that came back, the oldest first' }),
})
/** Entries by decision other than disbursements. */
const otherEntry = z.object({ ...proven, kind: z.enum(['disbursement_back', 'platform_out', 'tds_remitted', 'losses_covered']) })
export type OtherEntry = z.infer<typeof otherEntry>

/** An ended day for display. It proves nothing; the published files do. */
const dayView = z.object({
  day,
  status: z.enum(['settled', 'void']),
  entries: count,
  intake: rupees,
  split: amounts.meta({ description: "Rupees of this day's pot" }),
  perRupee: z
    .object({ need: z.number(), reward: z.number(), platform: z.number() })
    .meta({ description: 'Where each ₹1 of the day went, in paise' }),
  winners: z.array(z.object({ name: z.string(), amount: rupees, tax: rupees, position: count, ticket: hash })),
  assurance,
  isDemo,
  gifts: rupees.meta({
    description: 'Last balances of leaving members, and rewards that winners passed on, given to the help fund on this day',
  }),
  disbursed: rupees.meta({ description: "Of this day's need share and gifts, as the books say it" }),
  receipts: z
    .array(disbursed)
    .meta({ description: 'The disbursements that used this money, including those whose money all came back; the oldest first' }),
  // Not marked as newer, as the totals below.
  helpOrder: z
    .object({
      numbers: z.array(z.string()).meta({ description: 'In the order of the draw; ascending where there was none' }),
      isDrawn: z.boolean(),
    })
    .nullable()
    .meta({ description: 'The requests for help whose order this day decided, by their numbers; null: none' }),
  books: z
    .object({
      help: z.object({ opening: rupees, in: rupees, out: rupees, closing: rupees }),
      topups: rupees,
      withdrawals: rupees,
      refunds: rupees,
      members: rupees,
      liabilities: z.object({ count, total: rupees }),
    })
    .nullable()
    .meta({ description: "null until the day's books are logged" }),
})

export const openBooksCalls = {
  logKey: endpoint('GET /public/log/key', { ...FILE, summary: 'The verifier key of the log.' }),
  logCheckpoint: endpoint('GET /public/log/checkpoint', { ...FILE, summary: 'The newest signed checkpoint with its cosignatures.' }),
  logEntries: endpoint('GET /public/log/entries/{n}', {
    ...FILE,
    summary: 'Records 256·n to 256·n + 255, a line each.',
    params: z.object({ n: z.string().max(20) }),
  }),
  logSealed: endpoint('GET /public/log/sealed/{day}', {
    ...FILE,
    summary: 'The checkpoints that show when a day was sealed.',
    params: ofDay,
  }),
  drawFile: endpoint('GET /public/draws/{day}', { ...FILE, summary: "A day's records: open, close, result, void.", params: ofDay }),
  drawTickets: endpoint('GET /public/draws/{day}/tickets', {
    ...FILE,
    summary: "A day's sealed list, 32 bytes a ticket.",
    params: ofDay,
  }),
  booksFile: endpoint('GET /public/books/{day}', { ...FILE, summary: "A day's books.", params: ofDay }),
  liabilitiesFile: endpoint('GET /public/liabilities/{day}', {
    ...FILE,
    summary: "The liabilities to members at a day's end, 40 bytes a part.",
    params: ofDay,
  }),
  rulesFile: endpoint('GET /public/rules/{hash}', {
    ...FILE,
    summary: 'A version of the protocol that an open record names.',
    params: z.object({ hash: z.string().max(100) }),
  }),
  logInclusion: endpoint('GET /public/log/inclusion', {
    ...FILE,
    summary: 'The inclusion proof of a record in the log of this size.',
    query: z.object({ index: whole, size: whole }),
  }),
  logConsistency: endpoint('GET /public/log/consistency', {
    ...FILE,
    summary: 'The consistency proof between the log of two sizes.',
    query: z.object({ from: whole, to: whole }),
  }),
  cosign: endpoint('POST /public/log/cosignatures', {
    access: 'visitor',
    summary: "Hands in a witness's cosignature: the checkpoint's three lines, an empty line, its line.",
    raw: true,
    output: 'empty',
    status: 204,
    refusals: ['not_a_note', 'witness_unknown', 'checkpoint_unknown', 'cosignature_invalid'],
  }),
  publicDays: endpoint('GET /public/days', {
    access: 'visitor',
    summary: 'Ended days, newest first, and the totals of all settled rounds.',
    query: page,
    output: z.object({
      totals: z.object({
        days: count,
        entries: count,
        intake: rupees,
        split: amounts,
        disbursed: rupees,
        helpFund: rupees,
        // Not marked as newer, which would put the whole form into the shell: no page in the browser reads them.
        winners: count,
        passedOn: count.meta({ description: 'Winners who gave their reward, or a part of it, to the help fund' }),
      }),
      otherEntries: z.array(otherEntry).meta({ description: 'The newest 50 of all days, on the first page; on later ones none' }),
      frozen: z
        .array(z.object({ day, numbers: z.array(z.string()) }))
        .meta({ description: 'Lists of requests for help whose day is not over: keep them, and compare them with the order later' }),
      days: z.array(dayView),
      nextCursor,
    }),
    refusals: [],
    cache: 'named',
  }),
  publicDay: endpoint('GET /public/days/{day}', {
    access: 'visitor',
    summary: 'One day, after it is over and its round has ended.',
    params: ofDay,
    output: z.object({ day: dayView }),
    refusals: ['not_found'],
    cache: 'named',
  }),
  userTicket: endpoint('GET /user/tickets/{day}', {
    access: 'member',
    summary: "The member's entry of a day: ticket, receipt, and the proof that it is in the sealed list.",
    params: ofDay,
    output: z.object({
      day,
      ticket: hash,
      receipt,
      proof: z
        .object({
          checkpoint: z.string(),
          close: z.object({
            index: count,
            path,
            record: z.object({ count, day, kind: z.literal('close'), root: hash, round: count, sealedAt: count, v: z.literal(1) }),
          }),
          path,
          position: count,
        })
        .nullable(),
    }),
    refusals: ['not_found'],
  }),
  userLiabilities: endpoint('GET /user/liabilities/{day}', {
    access: 'member',
    summary: "The member's own parts of the liabilities at a day's end, in paise, with their proof up to the newest checkpoint.",
    params: ofDay,
    query: z.object({ from: whole.default(0), limit: whole.refine((n) => n >= 1 && n <= 128, 'limit_invalid').default(2) }),
    output: z.object({
      balance: count,
      count,
      day,
      held: count,
      next: count.nullable().meta({ description: 'The number of the first part left out; null after the last' }),
      nodes: z.string().meta({ description: 'The proof of these parts together, base64: 32 bytes of hash and 8 of sum a node' }),
      parts: z.array(z.object({ amount: count, position: count })),
      proof: z
        .object({
          books: z.object({
            index: count,
            path,
            record: z.object({ books: hash, day, kind: z.literal('books'), v: z.literal(1) }),
          }),
          checkpoint: z.string(),
        })
        .nullable()
        .meta({ description: "null until a checkpoint contains the day's books" }),
      root: hash,
      total: count,
    }),
    refusals: ['not_found'],
  }),
} as const
