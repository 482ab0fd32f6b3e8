/**
 * The token of a link that is sent by mail. Invariant: it stands nowhere in the database, neither in
 * the token's row (which has its hash) nor in the mail's job (which has the row's id): whoever reads
 * the tables cannot confirm an address or reset a password.
 */
import { createHash } from 'node:crypto'
import type { Secrets } from '../secrets/secrets.ts'

export type LinkSecrets = Pick<Secrets, 'fingerprints'>

export const linkToken = (secrets: LinkSecrets, tokenId: string): string =>
  secrets.fingerprints(Buffer.from(tokenId), 'link token')[0].toString('base64url')

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
