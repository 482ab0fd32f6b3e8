/**
 * A look at something of the log, against what this device remembers of it. Invariant: another key than
 * the one remembered is believed only after the whole log has shown that it rightly replaced it.
 */
import { UnavailableError } from '@roz/verifier/sources.ts'
import { type KnownLog, rememberLog } from '../../verify/log-memory.ts'
import { checkDay, publicBase } from '../../verify/verify-day.ts'

export type TrustedLog = { readonly logKey: string; readonly kept?: KnownLog['checkpoint'] }
export type Judged<T> = { readonly found: T; readonly log: string }

async function siteKey(): Promise<string> {
  const response = await fetch(`${publicBase()}log/key`)
  if (!response.ok) throw new UnavailableError(`log/key: the site answered ${response.status}`)
  return (await response.text()).trim()
}

/** `isStrange`: what was found may be explained by a key that was replaced. */
export async function againstLog<T>(
  memberId: string,
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
  rememberLog(memberId, keep)
  return { found: await look({ logKey: keep.logKey }), log: keep.logKey }
}
