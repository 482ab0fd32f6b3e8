/** A promise with the functions that end it. `Promise.withResolvers` is newer than the oldest browsers of web/vite.config.ts. */
export function deferred<T>() {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
