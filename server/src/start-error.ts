/** A failed start, with its reason in plain words for the person who starts the server. */
export class StartError extends Error {
  override readonly name = 'StartError'
}
