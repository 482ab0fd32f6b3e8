/**
 * Compares an item of the log with the state of the log that this device remembers.
 * - A new log key is trusted only after a check of the whole log has proved that it replaced the remembered key correctly.
 */
import { UnavailableError } from '@roz/verifier/sources.ts'
import { type KnownLog, rememberLog } from '../../verify/log-memory.ts'
import { fetchPublished } from '../../verify/published.ts'
import { checkDay } from '../../verify/verify-day.ts'

export type TrustedLog = { readonly logKey: string; readonly kept?: KnownLog['checkpoint'] }
type Judged<T> = { readonly found: T; readonly log: string }

async function siteKey(): Promise<string> {
  const response = await fetchPublished('log/key')
  if (!response.ok) throw new UnavailableError(`log/key: the site answered ${response.status}`)
  return (await response.text()).trim()
}

/** `isStrange` says whether a replaced key may explain the finding. */
export async function againstLog<T>(
  day: string,
  known: KnownLog | undefined,
  look: (log: TrustedLog) => Promise<T>,
  isStrange: (found: T) => boolean,
): Promise<Judged<T>> {
  const logKey = known?.logKey ?? (await siteKey())
  const found = await look(known === undefined ? { logKey } : { logKey, kept: known.checkpoint })
  if (known === undefined || !isStrange(found)) return { found, log: logKey }
  const { keep } = await checkDay({ day, logKey, kept: known.checkpoint })
  if (keep === undefined) return { found, log: logKey }
  rememberLog(keep)
  return { found: await look({ logKey: keep.logKey }), log: keep.logKey }
}
