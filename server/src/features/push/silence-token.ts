/**
 * The token in an evening reminder that silences this member's reminder for its day, because a service worker has no session.
 * - No table stores it: it is the day, the member's public id and a signature with the server's secret.
 */
import { timingSafeEqual } from 'node:crypto'
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import type { Secrets } from '../../secrets/secrets.ts'

type SilenceSecrets = Pick<Secrets, 'fingerprints'>
type Named = { readonly day: IstDay; readonly publicId: string }

const signatures = (secrets: SilenceSecrets, { day, publicId }: Named): readonly [Buffer, ...Buffer[]] =>
  secrets.fingerprints(Buffer.from(`${day}.${publicId}`), 'reminder')

export const silenceToken = (secrets: SilenceSecrets, named: Named): string =>
  `${named.day}.${named.publicId}.${signatures(secrets, named)[0].toString('base64url')}`

/** The day and member that the token names; undefined when the signature is false. */
export function namedBySilenceToken(secrets: SilenceSecrets, token: string): Named | undefined {
  const [written = '', publicId = '', signature = ''] = token.split('.')
  const day = parseDay(written)
  if (day === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(publicId)) return undefined
  const given = Buffer.from(signature, 'base64url')
  const isSigned = signatures(secrets, { day, publicId }).some((one) => one.length === given.length && timingSafeEqual(one, given))
  return isSigned ? { day, publicId } : undefined
}
