/** The dependencies of the identity feature. */
import type { Storage } from '../../adapters/storage/port.ts'
import type { Db } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import type { LinkSecrets } from '../../members/link-token.ts'
import type { Secrets } from '../../secrets/secrets.ts'
import type { TicketKeys } from '../../tickets/ticket-keys.ts'

export type IdentityDeps = {
  readonly db: Db
  /** Outside production, requests from this machine have no limits by network address. */
  readonly production: boolean
  readonly secrets: LinkSecrets & Pick<Secrets, 'encrypt' | 'decrypt'>
  /** Issuer of one-time codes in authenticator apps. */
  readonly brandName: string
  /** The date of the terms in force, recorded at registration. */
  readonly termsVersion: string
  /** Without a client id, Google sign-in is off. */
  readonly google: { readonly clientId: string | undefined; readonly jwksUrl: string }
  readonly storage: Storage
  readonly ticketKeys: Pick<TicketKeys, 'renew'>
  /** Closes an account of this address that nobody has confirmed. */
  readonly freeAddress: (tx: Tx, email: string) => Promise<void>
}
