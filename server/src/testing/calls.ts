/** Makes calls over real HTTP (http.ts) with a token for any account by its number, for tests that are not about login. */
import type { CallName } from '@roz/contract/api.ts'
import type { FastifyInstance } from 'fastify'
import { createSecrets } from '../secrets/secrets.ts'
import { type Db, sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Handlers } from '../http/route.ts'
import type { Session, Sessions } from '../http/session.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import { insertMember } from '../members/new-member.ts'
import { perFile } from './fixture.ts'
import { type Ask, startTestApp, type TestAnswer } from './http.ts'

export const TEST_SECRET_KEY = 'a secret of the tests'
export const testSecrets = createSecrets({ secretKey: TEST_SECRET_KEY })

/** Token of this account, for the kind of session that its role has. */
const tokenOf = (memberId: bigint): string => `session-${memberId}`
/** Token of a staff account that logged in as a member. */
const memberTokenOf = (memberId: bigint): string => `member-${memberId}`
/** Token of a staff account whose last step-up is too old. */
const staleTokenOf = (memberId: bigint): string => `stale-${memberId}`

function sessionsOf(db: Db): Sessions {
  return {
    find: async (token): Promise<Session | undefined> => {
      const [, kind, id] = /^(session|stale|member)-(\d+)$/.exec(token) ?? []
      if (id === undefined) return undefined
      const row = await db.maybeOne<{ verified: boolean; suspended: boolean; staffRole: StaffRole | null }>(sql`
        select email_verified_at is not null as verified, suspended_at is not null as suspended, staff_role as "staffRole"
            from member where id = ${id}::bigint`)
      if (row === undefined) return undefined
      const tokenHash = Buffer.from(token)
      const memberId = BigInt(id)
      const { staffRole, verified: emailVerified, suspended } = row
      if (staffRole !== null && kind === 'member') return undefined
      return staffRole === null
        ? { kind: 'member', tokenHash, memberId, emailVerified, suspended }
        : { kind: 'admin', tokenHash, memberId, staffRole, steppedUp: kind === 'session', owesTotp: false }
    },
  }
}

export type Answered = TestAnswer
export type Asked = Omit<Ask, 'token'> & { readonly as?: bigint; readonly isStale?: boolean; readonly asMember?: boolean }

export type ServedCalls = {
  readonly url: string
  /** `ask('GET /wallet/checkout')`: the path is below /api. */
  readonly ask: (call: string, asked?: Asked) => Promise<Answered>
  readonly close: () => Promise<void>
}

/** `mount` adds routes beside /api. */
export async function serveCalls(
  db: Db,
  handlers: Partial<Handlers<CallName>>,
  mount?: (app: FastifyInstance) => void,
): Promise<ServedCalls> {
  const app = await startTestApp({ handlers, sessions: sessionsOf(db), ...(mount === undefined ? {} : { mount }) })
  return {
    url: app.url,
    ask: (call, { as, isStale = false, asMember = false, ...asked } = {}) => {
      const tokenFor = isStale ? staleTokenOf : asMember ? memberTokenOf : tokenOf
      return app.ask(call, { ...asked, ...(as === undefined ? {} : { token: tokenFor(as) }) })
    },
    close: app.close,
  }
}

/** The calls of one feature for all tests of a file, on a database that is opened before them. */
export const useCalls = (on: { readonly db: Db }, handlersOf: (db: Db) => Partial<Handlers<CallName>>): ServedCalls =>
  perFile(() => serveCalls(on.db, handlersOf(on.db)))

let made = 0
/** Makes a member with a wallet; the mail address is confirmed by default. */
export async function makeMember(db: Db, options: { readonly name?: string; readonly verified?: boolean } = {}): Promise<bigint> {
  const number = ++made
  const id = await inTransaction(db, (tx) =>
    insertMember(tx, {
      name: options.name ?? `Asha Verma ${number}`,
      email: `member${number}@example.org`,
      phone: '9876543210',
      language: 'en',
      emailVerified: options.verified ?? true,
      termsVersion: 'test',
    }),
  )
  if (id === undefined) throw new Error('the address is taken')
  return id
}

/** The id that calls and screens use. */
export const publicIdOf = async (db: Db, memberId: bigint): Promise<string> =>
  (await db.one<{ id: string }>(sql`select public_id as id from member where id = ${memberId}::bigint`)).id

/** Makes a staff account, which has no wallet; with its role since longer than any test lasts. `since`: an interval until now. */
export async function makeStaff(db: Db, staffRole: StaffRole = 'owner', since = '30 days'): Promise<bigint> {
  made++
  const [row] = await db.query<{ id: bigint }>(sql`
    insert into member (name, email, role, staff_role, email_verified_at, staff_since)
    values ('Staff', ${`staff${made}@example.org`}::text, 'admin', ${staffRole}::text, roz_now(), roz_now() - ${since}::interval) returning id`)
  if (row === undefined) throw new Error('no account')
  return row.id
}
