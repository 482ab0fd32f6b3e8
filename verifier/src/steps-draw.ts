/** The steps about the draw: sealed list, sealing time, randomness, winners and amounts. */
import { ascending } from './ascending.ts'
import { beaconRound, chainHashOf, DRAW_DELAY_MS, isBeaconSignature, QUICKNET } from './beacon.ts'
import type { Bundle } from './bundle.ts'
import { fromHex, toHex } from './bytes.ts'
import { localRandomness, orderOf, picks, seedOf, sharesOf } from './draw.ts'
import { ticketTree } from './list-tree.ts'
import type { RecordOf } from './records.ts'
import { type Checkpoint, cosignedAt, readVerifierKey, type VerifierKey } from './note.ts'
import { sha256 } from './sha256.ts'
import { fail, incomplete, need, notApplicable, type Said, weak } from './steps.ts'

export const TICKET_BYTES = 32
/** The pages and spec/verify.py say the same words. */
const demoDraw = ({ result }: Today): string =>
  `Demo draw — the operator could have chosen ${(result?.record.winners.length ?? 1) > 1 ? 'these winners' : 'this winner'}`
/** The last cosignature that counts is this long before the draw. */
const WITNESS_MARGIN_MS = 60_000
/** Income-tax Act, section 115BB: 30 % of winnings, with the cess of 4 % on it 31.2 %. */
const MOST_TAX_PERCENT = 31
/** How slow a witness's clock may be: a record that it dates earlier than the seal, less this, did not exist then. */
const SLOW_CLOCK_MS = 60_000

/** The result of one pass over the sealed list. */
export type List = {
  /** True if the list was read to its end. Reading stops when it exceeds the sealed count. */
  readonly isWhole: boolean
  readonly count: number
  readonly root: string
  readonly isAscending: boolean
  /** The tickets at the requested positions. */
  readonly at: ReadonlyMap<number, string>
  /** The requested tickets that are in the list. */
  readonly found: ReadonlySet<string>
}

/** `sealed`: the expected number of tickets. */
export type ListQuestions = { readonly positions: readonly number[]; readonly tickets: readonly string[]; readonly sealed: number }

export async function readList(
  pieces: AsyncIterable<Uint8Array>,
  asked: ListQuestions,
  onProgress: (tickets: number) => void,
): Promise<List> {
  const tree = ticketTree()
  const order = ascending(TICKET_BYTES)
  const positions = [...new Set(asked.positions)].sort((a, b) => a - b)
  const at = new Map<number, string>()
  const found = new Set<string>()
  let isAscending = true
  let next = 0
  for await (const piece of pieces) {
    const first = tree.count()
    const ticketAt = (index: number): string => toHex(piece.subarray(index * TICKET_BYTES, (index + 1) * TICKET_BYTES))
    isAscending = isAscending && order.continues(piece)
    tree.add(piece)
    for (; next < positions.length && (positions[next] as number) < tree.count(); next += 1) {
      const position = positions[next] as number
      at.set(position, ticketAt(position - first))
    }
    for (const ticket of asked.tickets) if (holds(piece, fromHex(ticket, TICKET_BYTES))) found.add(ticket)
    onProgress(tree.count())
    // More tickets than sealed is already a failure, and the stream may be endless.
    if (tree.count() > asked.sealed) break
  }
  return { isWhole: tree.count() <= asked.sealed, count: tree.count(), root: toHex(tree.root().hash), isAscending, at, found }
}

function holds(piece: Uint8Array, ticket: Uint8Array): boolean {
  for (let at = 0; at < piece.length; at += TICKET_BYTES) {
    let i = 0
    while (i < TICKET_BYTES && piece[at + i] === ticket[i]) i += 1
    if (i === TICKET_BYTES) return true
  }
  return false
}

type Today = ReturnType<Bundle['inLog']>

/** Returns the close record. Without one no list is sealed, and the step ends. */
export function closeOf({ close, void: ended, open }: Today): RecordOf['close'] {
  if (close !== undefined) return close.record
  if (ended !== undefined) return notApplicable('the day had no entries')
  return incomplete(open === undefined ? 'the log has no such round' : 'the round is not closed yet')
}

/** Returns the result. Without one there is no winner, and the step ends. */
export function resultOf(today: Today): RecordOf['result'] {
  if (today.result !== undefined) return today.result.record
  if (today.void !== undefined) return notApplicable('no winner: the round is void')
  return incomplete('there is no result yet')
}

const openOf = ({ open }: Today): RecordOf['open'] => need(open?.record, 'the open record')

export function checkList(list: List | undefined, today: Today): string {
  const close = closeOf(today)
  const { isWhole, count, root, isAscending } = need(list, 'the list of tickets')
  if (!isAscending) fail('the tickets are not in ascending order, or one is listed twice')
  if (!isWhole) fail(`more tickets are listed than the ${close.count} that were sealed`)
  if (count !== close.count) fail(`${count} tickets are listed, ${close.count} were sealed`)
  if (root !== close.root) fail('the tickets do not give the sealed root')
  return `${count} tickets give the root ${root.slice(0, 12)}…`
}

export type Seal = { readonly isInTime: boolean; readonly names: readonly string[]; readonly quorum: number }

/** First and last instant of the cosignatures that count, in ms. */
type Window = { readonly fromMs: number; readonly toMs: number }

/** Finds the witnesses that cosigned the close record within the window. */
function sealBy(
  sealed: readonly Checkpoint[],
  closeIndex: number,
  { fromMs, toMs }: Window,
  witnesses: readonly VerifierKey[],
  quorum: number,
): Seal {
  const isInside = (seconds: number | undefined): boolean => seconds !== undefined && 1000 * seconds >= fromMs && 1000 * seconds <= toMs
  const names = witnesses.filter((witness) =>
    sealed.some(({ size, note }) => size > closeIndex && note.signatures.some((line) => isInside(cosignedAt(line, note.text, witness)))),
  )
  return { isInTime: names.length >= quorum, names: names.map(({ name }) => name), quorum }
}

export function checkSealedInTime(bundle: Bundle, readersWitnesses: readonly VerifierKey[]): Said {
  const today = bundle.inLog(bundle.day)
  const draws = today.result === undefined && today.void === undefined ? undefined : need(bundle.draws, `draws/${bundle.day}`)
  if (today.close === undefined && draws?.assurance === 'sealed') fail('a day without a list is called sealed')
  const close = closeOf(today)
  const { draw, witnesses } = openOf(today)
  const sealed = need(bundle.sealed, `log/sealed/${bundle.day}`)
  const closeIndex = today.close?.index ?? 0
  const inTime = { fromMs: close.sealedAt - SLOW_CLOCK_MS, toMs: close.sealedAt + DRAW_DELAY_MS - WITNESS_MARGIN_MS }
  // The first servers also counted impossibly early cosignatures. Their files keep their form, and the day is weak.
  const notLate = { ...inTime, fromMs: 0 }
  const named = witnesses.keys.map(readVerifierKey)
  for (const [index, checkpoint] of sealed.entries()) {
    if (checkpoint.size <= closeIndex) fail(`a checkpoint of ${checkpoint.size} records does not contain the close record`)
    if (index === 0) continue
    if (checkpoint.size <= (sealed[index - 1] as Checkpoint).size) fail('the checkpoints are not in ascending size')
    if (sealBy([checkpoint], closeIndex, notLate, named, 1).names.length === 0)
      fail('log/sealed has a checkpoint without a cosignature in time')
  }
  const own = sealBy(sealed, closeIndex, inTime, named, witnesses.quorum)
  const possible = [own, sealBy(sealed, closeIndex, notLate, named, witnesses.quorum)].map(({ isInTime }) =>
    isInTime && draw.mode === 'beacon' ? 'sealed' : 'weak',
  )
  if (draws !== undefined && !possible.includes(draws.assurance))
    fail(`draws/${bundle.day} calls the day ${draws.assurance}, it is ${possible[0]}`)
  if (draw.mode === 'local') weak('local-list', demoDraw(today))
  const seal = readersWitnesses.length === 0 ? own : sealBy(sealed, closeIndex, inTime, readersWitnesses, readersWitnesses.length)
  const values = { witnesses: seal.names.join(', '), needed: String(seal.quorum) }
  const seen = values.witnesses || 'nobody'
  if (!seal.isInTime) {
    const words = `seen in time by ${seen}, ${seal.quorum} are needed: the operator could have changed the list`
    weak(seal.names.length === 0 ? 'unseen' : 'too-few', words, values)
  }
  return { words: `seen by ${seen} at least a minute before the draw`, values }
}

export function checkRound(today: Today, shownSignature: string | undefined): string {
  const close = closeOf(today)
  const { draw } = openOf(today)
  const expected =
    draw.mode === 'local' ? 0 : draw.period > 0 ? beaconRound(close.sealedAt, draw.genesis, draw.period) : fail('a beacon without a period')
  if (close.round !== expected) fail(`the sealing time demands round ${expected}, the record names ${close.round}`)
  const ended = today.void?.record
  if (ended !== undefined) {
    if (ended.returned !== 100 * close.count) fail(`${ended.returned} paise were returned for ${close.count} entries`)
    if (draw.mode === 'local') return fail('a local draw cannot wait for a beacon')
    // The parameters must match the chain hash, or a signature by that chain could not disprove the void.
    if (chainHashOf(draw) !== draw.chainHash) fail('the beacon’s parameters do not have the hash that names it')
    if (shownSignature !== undefined && isBeaconSignature(shownSignature, expected, draw.publicKey))
      fail(`round ${expected} was there: the day should not have been void`)
    weak('no-number', `void: check with a drand relay that round ${expected} is missing`, {
      round: String(expected),
    })
  }
  return draw.mode === 'local' ? 'a local draw has no round' : `round ${expected} is the first after the draw time`
}

export function checkRandomness(today: Today, trustedChain: string | undefined): string {
  const result = resultOf(today)
  const close = closeOf(today)
  const { draw } = openOf(today)
  if (draw.mode === 'local') {
    if (!('secret' in result)) return fail('a local draw without its secret')
    if (toHex(sha256(fromHex(result.secret))) !== draw.chainHash) fail('the secret is not the one promised in the open record')
    if (localRandomness(result.secret, close) !== result.randomness) fail('the randomness does not come from the secret and the list')
    return weak('known-number', demoDraw(today))
  }
  if (!('signature' in result)) return fail('a draw by beacon without its signature')
  if (chainHashOf(draw) !== draw.chainHash) fail('the beacon’s parameters do not have the hash that names it')
  if (!isBeaconSignature(result.signature, close.round, draw.publicKey)) fail(`the signature is not that of round ${close.round}`)
  if (toHex(sha256(fromHex(result.signature))) !== result.randomness) fail('the randomness is not the hash of the signature')
  if (draw.chainHash !== (trustedChain ?? QUICKNET))
    weak(
      'other-source',
      `the beacon ${draw.chainHash.slice(0, 12)}… is not ${trustedChain === undefined ? 'drand’s quicknet' : 'the one that you trust'}: its operator could know the numbers`,
      { chain: draw.chainHash.slice(0, 12) },
    )
  return `the beacon signed round ${close.round}`
}

export function checkSeed(today: Today): string {
  const result = resultOf(today)
  const close = closeOf(today)
  const { draw, day } = openOf(today)
  const seed = seedOf({ day, count: close.count, root: close.root }, draw.chainHash, close.round, result.randomness)
  if (seed !== result.seed) fail('the seed does not follow from list and randomness')
  return `list and randomness give ${seed.slice(0, 12)}…`
}

/** The order of requests for help that a page shows, against the day's seed. The step `seed` checks the seed. */
export function checkHelpOrder(today: Today, shown: readonly string[]): string {
  const expected = orderOf(resultOf(today).seed, shown)
  if (expected.join() !== shown.join()) fail(`the seed gives the order ${expected.join(',')}`)
  return `the seed gives the order of these ${shown.length} requests for help`
}

export function checkWinners(today: Today, list: List | undefined): string {
  const result = resultOf(today)
  const close = closeOf(today)
  const number = Math.min(openOf(today).split.winners, close.count)
  if (number !== result.winners.length) fail(`${number} winners are to be picked, ${result.winners.length} are named`)
  const positions = picks(result.seed, close.count, number)
  const { at } = need(list, 'the list of tickets')
  for (const [order, { position, ticket }] of result.winners.entries()) {
    if (position !== positions[order]) fail(`winner ${order + 1} should be at position ${positions[order]}, not ${position}`)
    if (at.get(position) !== ticket) fail(`the ticket at position ${position} is not the one named`)
  }
  return positions.length === 0
    ? 'rewards were off: no winner'
    : `the seed picks position ${positions.slice(0, 5).join(', ')}${positions.length > 5 ? ', …' : ''}`
}

export function checkSplit(today: Today): string {
  const { split, tax, stake } = openOf(today)
  const { policy, need: help, reward, platform, winners } = split
  const isOfPolicy =
    policy === 'A' ? help === 60 && reward === 30 && platform === 10 && winners <= 1 : help === 70 && reward === 30 && platform === 0
  if (!isOfPolicy) fail(`the split is not that of policy ${policy}`)
  const result = resultOf(today)
  const shares = sharesOf(closeOf(today).count, stake, split, tax)
  const named = result.shares
  if (named.pool !== shares.pool || named.need !== shares.need || named.platform !== shares.platform)
    fail(`of ${shares.pool} paise ${shares.need} go to help and ${shares.platform} to the platform, the result says otherwise`)
  const wrong = result.winners.find(({ amount, tax: withheld }) => amount !== shares.prize || withheld !== shares.tax)
  if (wrong !== undefined)
    fail(`each winner has ${shares.prize} paise before ${shares.tax} of tax, the result says ${wrong.amount} and ${wrong.tax}`)
  if (shares.winners * shares.tax > 0 && tax.percent > MOST_TAX_PERCENT)
    weak('high-tax', `${tax.percent} percent of each prize is withheld as tax: the law takes at most ${MOST_TAX_PERCENT}`, {
      percent: String(tax.percent),
    })
  return `${shares.pool} paise: ${shares.need} to help, ${shares.winners * shares.prize} to winners, ${shares.platform} to the platform`
}
