/** Help is paid only to somebody whose consent is recorded and not revoked, and its public words do not name them. */
import { namesPerson } from '@roz/core/help-fields.ts'
import { type Outcome, accepted, refused } from '@roz/core/outcome.ts'
import { sql } from '../../db/sql.ts'
import type { Tx } from '../../db/transaction.ts'
import { invalid, type Refusal } from '../../http/route.ts'
import type { PurposeWords } from '../../outlays/outlays.ts'

export type ConsentRefusal = 'beneficiary_not_found' | 'consent_missing' | 'consent_revoked'

/** The public name of somebody who may be helped. The lock makes a revocation wait for the caller's commit. */
export async function judgeConsent(tx: Tx, id: string): Promise<Outcome<{ readonly publicName: string }, ConsentRefusal>> {
  const found = await tx.maybeOne<{ publicName: string; hasConsent: boolean; isRevoked: boolean }>(sql`
    select public_name as "publicName", consent_how is not null as "hasConsent", revoked_at is not null as "isRevoked"
          from beneficiary where id = ${id}::uuid for share`)
  if (found === undefined) return refused('beneficiary_not_found')
  if (found.isRevoked) return refused('consent_revoked')
  return found.hasConsent ? accepted({ publicName: found.publicName }) : refused('consent_missing')
}

/** Refuses public words that contain the name: after a revocation they would still name the person. */
export function judgePurpose(
  { purpose, translations = {} }: { readonly purpose?: string } & Pick<PurposeWords, 'translations'>,
  publicName: string,
): Refusal<'invalid_input'> | undefined {
  const fields = {
    purpose,
    ...Object.fromEntries(Object.entries(translations).map(([language, words]) => [`translations.${language}`, words])),
  }
  const naming = Object.entries(fields).filter(([, words]) => words !== undefined && namesPerson(words, publicName))
  return naming.length === 0 ? undefined : invalid(Object.fromEntries(naming.map(([field]) => [field, 'purpose_names' as const])))
}
