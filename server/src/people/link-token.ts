/**
 * The token of a link that is sent by mail. Invariant: it stands nowhere in the database, neither in
 * the token's row (which has its hash) nor in the mail's job (which has the row's id): whoever reads
 * the tables cannot confirm an address or reset a password.
 */
import { createHash, createHmac } from 'node:crypto'

export const linkToken = (secretKey: string, tokenId: string): string =>
  createHmac('sha256', secretKey).update(`link token ${tokenId}`).digest('base64url')

export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()
