/**
 * The token in an evening reminder that silences this member's reminder for its day, because a service worker has no session.
 * - No table stores it: it is the day, the member's public id and a signature with the server's secret.
 */
import { type IstDay, parseDay } from '@roz/core/ist-day.ts'
import { isFingerprint, type Secrets } from '../../secrets/secrets.ts'

type SilenceSecrets = Pick<Secrets, 'fingerprints'>
type Named = { readonly day: IstDay; readonly publicId: string }

const PURPOSE = 'reminder'
const signedBytes = ({ day, publicId }: Named): Buffer => Buffer.from(`${day}.${publicId}`)

export const silenceToken = (secrets: SilenceSecrets, named: Named): string =>
  `${named.day}.${named.publicId}.${secrets.fingerprints(signedBytes(named), PURPOSE)[0].toString('base64url')}`

/** The day and member that the token names; undefined when the signature is false. */
export function namedBySilenceToken(secrets: SilenceSecrets, token: string): Named | undefined {
  const [written = '', publicId = '', signature = ''] = token.split('.')
  const day = parseDay(written)
  if (day === undefined || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(publicId)) return undefined
  const named = { day, publicId }
  return isFingerprint(secrets, signedBytes(named), PURPOSE, Buffer.from(signature, 'base64url')) ? named : undefined
}
