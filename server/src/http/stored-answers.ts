/**
 * Answers that were stored under an Idempotency-Key, maybe by an earlier release: they may lack a field that is newer, and are sent
 * without it.
 */
const stored = new WeakSet()

export const noteStored = (value: unknown): void => {
  if (typeof value === 'object' && value !== null) stored.add(value)
}
export const isStored = (value: unknown): boolean => typeof value === 'object' && value !== null && stored.has(value)
