/** What is owed to members: the sum tree over all parts, and a member's own parts in it (protocol, chapter 13). */
import { ascending } from './ascending.ts'
import { ascii, concat, equal, fromHex, MalformedError, toHex, u64 } from './bytes.ts'
import { hash, list, record, type Shape, whole } from './canonical.ts'
import { joinNodes, listTree, type ListTree, sumAt } from './list-tree.ts'
import { rootFromInclusion } from './merkle.ts'
import { hmacSha256, sha256 } from './sha256.ts'
import { fail } from './steps.ts'

export const PART_BYTES = 40
const MOST_PAISE = 5000
const LEAF = ascii('roz/v1/part\n')
const NODE = ascii('roz/v1/sum\n')

const partsTree = (about: number): Promise<ListTree> =>
  listTree({ leafPrefix: LEAF, nodePrefix: NODE, entryBytes: PART_BYTES, withSums: true }, about)

export type Liabilities = { readonly count: number; readonly root: string; readonly total: number }

export async function sumParts(
  pieces: AsyncIterable<Uint8Array>,
  about: number,
  onProgress: (parts: number) => void,
): Promise<Liabilities> {
  const tree = await partsTree(about)
  const order = ascending(PART_BYTES)
  for await (const piece of pieces) {
    if (!order.continues(piece)) fail('the parts are not in ascending order, or one stands there twice')
    const view = new DataView(piece.buffer, piece.byteOffset, piece.length)
    for (let at = 32; at < piece.length; at += PART_BYTES) {
      const amount = sumAt(view, at)
      if (amount < 1 || amount > MOST_PAISE) fail(`a part of ${amount} paise, outside 1 to ${MOST_PAISE}`)
    }
    tree.add(piece)
    onProgress(tree.count())
  }
  const { hash: root, sum } = tree.root()
  return tree.count() === 0 ? { count: 0, root: toHex(sha256(NODE)), total: 0 } : { count: tree.count(), root: toHex(root), total: sum }
}

export const partId = (ticketKey: Uint8Array, day: string, j: number): Uint8Array =>
  hmacSha256(ticketKey, concat(ascii(`roz/v1/id\n${day}`), u64(j)))

const ownPart = record({ amount: whole, id: hash, path: list(record({ hash, sum: whole })), position: whole })
const answer = record({
  balance: whole,
  count: whole,
  day: (value) => String(value),
  held: whole,
  parts: list(ownPart),
  root: hash,
  total: whole,
})
export const ownLiabilities: Shape<ReturnType<typeof answer>> = answer

export type OwnParts = { readonly isOwed: boolean; readonly words: string }

/** A member's own share of what is owed. `expected`: what the member's own app says, and what the books of that day hold. */
export function checkOwnParts(
  given: unknown,
  ticketKey: Uint8Array,
  expected: { readonly day: string; readonly balance?: number; readonly held?: number; readonly books?: Liabilities },
): OwnParts {
  const no = (words: string): OwnParts => ({ isOwed: false, words })
  let own: ReturnType<typeof answer>
  try {
    own = answer(given, 'the answer')
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error
    return no(error.message)
  }
  const { day, balance, held, parts, books } = { ...own, books: expected.books }
  if (day !== expected.day) return no('the parts are of another day')
  if ((expected.balance ?? balance) !== balance || (expected.held ?? held) !== held) return no('the balance is not the one you know')
  if (books !== undefined && (books.root !== own.root || books.total !== own.total || books.count !== own.count))
    return no('the parts belong to other books than those published')
  const ids = new Set(parts.map((_, j) => toHex(partId(ticketKey, day, j))))
  if (parts.some(({ id }) => !ids.has(id)) || new Set(parts.map(({ id }) => id)).size !== ids.size) return no('a part is not yours')
  if (parts.reduce((sum, { amount }) => sum + amount, 0) !== balance + held) return no('your parts do not add up to your balance')
  const root = concat(fromHex(own.root), u64(own.total))
  const lost = parts.find(({ id, amount, path, position }) => {
    if (amount < 1 || amount > MOST_PAISE) return true
    const leaf = concat(sha256(LEAF, fromHex(id), u64(amount)), u64(amount))
    const siblings = path.map((node) => concat(fromHex(node.hash), u64(node.sum)))
    const reached = rootFromInclusion(leaf, position, own.count, siblings, (left, right) => joinNodes(NODE, left, right))
    return reached === undefined || !equal(reached, root)
  })
  return lost === undefined
    ? { isOwed: true, words: `all ${balance + held} paise of yours are in what is owed to members` }
    : no('a part of yours is not in the published total')
}
