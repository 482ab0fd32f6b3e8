/** Requests published files. A request, with the reading of its answer, ends after 30 s. */

const WITHIN_MS = 30_000

export const publicBase = (): string => `${location.origin}/api/public/`

/** A page in place of the file, such as a captive portal's, is a failed request. */
export async function fetchPublished(path: string): Promise<Response> {
  const response = await fetch(publicBase() + path, {
    headers: { 'accept-language': document.documentElement.lang },
    signal: AbortSignal.timeout(WITHIN_MS),
  })
  if (response.ok && response.headers.get('content-type')?.startsWith('text/html') === true) throw new Error(`${path}: a page, no file`)
  return response
}

/** Undefined if the address has no file. */
export async function readPublished(path: string): Promise<unknown> {
  const response = await fetchPublished(path)
  if (response.status === 404) return undefined
  if (!response.ok) throw new Error(`${path}: ${response.status}`)
  return response.json()
}
