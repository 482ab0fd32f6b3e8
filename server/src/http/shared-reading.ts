/** A costly reading that requests within a short time share, so that many who ask at once are one question to the database. */
const SHARED_MS = 200

export function shareReading<T>(read: () => Promise<T>): () => Promise<T> {
  let last: { readonly startedMs: number; readonly answer: Promise<T> } | undefined
  return () => {
    // Real time, not the product's clock: this only bounds how often the database is asked.
    const startedMs = performance.now()
    if (last === undefined || startedMs - last.startedMs >= SHARED_MS) last = { startedMs, answer: read() }
    return last.answer
  }
}
