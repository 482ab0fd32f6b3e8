/**
 * Ticket keys that do not decrypt: their row was damaged, or sealed under a key that nobody has.
 * - Work that needs such a key fails and names all its members, so that the others' work can be done without them.
 */
const NAMED_MAX = 20

export class UnreadableKeyError extends Error {
  override readonly name = 'UnreadableKeyError'
  readonly memberIds: readonly [bigint, ...bigint[]]
  constructor(memberIds: readonly [bigint, ...bigint[]], cause?: unknown) {
    const [first, ...others] = memberIds
    const named = others.slice(0, NAMED_MAX).join(', ') + (others.length > NAMED_MAX ? ' …' : '')
    super(`the ticket key of member ${first} cannot be read${named === '' ? '' : `, nor those of ${named}`}`, { cause })
    this.memberIds = memberIds
  }
}
