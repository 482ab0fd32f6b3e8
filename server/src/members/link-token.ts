/**
 * Derives the token of a mailed link.
 * - The database never contains the token: its row has the hash, and the mail's job has the row's id.
 * - Read access to the tables is therefore not enough to confirm an address or reset a password.
 */
import { createHash } from 'node:crypto'
import type { Secrets } from '../secrets/secrets.ts'

export type LinkSecrets = Pick<Secrets, 'fingerprints'>

export const linkToken = (secrets: LinkSecrets, tokenId: string): string =>
  secrets.fingerprints(Buffer.from(tokenId), 'link token')[0].toString('base64url')

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
