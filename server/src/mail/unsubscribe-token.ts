/**
 * The token that ends a member's optional emails.
 *
 * - No table stores the token: it is the member's public id and a signature with the server's secret.
 * - It does not expire, because an old email must still end new ones.
 */
import { timingSafeEqual } from 'node:crypto'
import type { LinkSecrets } from '../members/link-token.ts'

/** Below /api, which the service worker leaves to the network. */
export const UNSUBSCRIBE_PATH = '/api/unsubscribe'

const signatures = (secrets: LinkSecrets, publicId: string): readonly [Buffer, ...Buffer[]] =>
  secrets.fingerprints(Buffer.from(publicId), 'unsubscribe')

export const unsubscribeToken = (secrets: LinkSecrets, publicId: string): string =>
  `${publicId}.${signatures(secrets, publicId)[0].toString('base64url')}`

/** The public id of the member that the token names; undefined when the signature is false. */
export function memberOfToken(secrets: LinkSecrets, token: string): string | undefined {
  const [publicId = '', signature = ''] = token.split('.')
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(publicId)) return undefined
  const given = Buffer.from(signature, 'base64url')
  const isSigned = signatures(secrets, publicId).some((one) => one.length === given.length && timingSafeEqual(one, given))
  return isSigned ? publicId : undefined
}
