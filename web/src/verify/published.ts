/** Requests published files. A request, with the reading of its answer, ends after 30 s. */

const WITHIN_MS = 30_000

export const publicBase = (): string => `${location.origin}/api/public/`

export const fetchPublished = (path: string): Promise<Response> =>
  fetch(publicBase() + path, {
    headers: { 'accept-language': document.documentElement.lang },
    signal: AbortSignal.timeout(WITHIN_MS),
  })

/** Undefined if the address has no file. */
export async function readPublished(path: string): Promise<unknown> {
  const response = await fetchPublished(path)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}
