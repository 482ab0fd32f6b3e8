/**
 * Authorization of a call by its session.
 * - A token opens only calls of its kind: an admin's token opens no member's call, and a member's token no admin's call.
 * - Staff have no member's session: they log in to the portal alone, with the second factor.
 * - An admin's token opens only calls that declare the admin's role. The role is the account's present one, not the one at login.
 * - An admin who owes an authenticator app opens only the calls needed to set it up.
 * - A missing, unknown or ended token answers 401; a token of the wrong kind answers 403 `forbidden`.
 */
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { StaffRole } from '@roz/contract/roles.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { FastifyRequest } from 'fastify'

export type MemberSession = {
  readonly kind: 'member'
  /** SHA-256 of the token: the session's key in the database. */
  readonly tokenHash: Buffer
  readonly memberId: bigint
  readonly emailVerified: boolean
  readonly suspended: boolean
}
export type AdminSession = {
  readonly kind: 'admin'
  readonly tokenHash: Buffer
  readonly memberId: bigint
  readonly staffRole: StaffRole
  /** The admin gave the password, or the code of the app, within the last ten minutes. */
  readonly steppedUp: boolean
  /** The role requires an authenticator app, and none is set up. */
  readonly owesTotp: boolean
}
export type Session = MemberSession | AdminSession

/** Looks sessions up; the identity feature implements it. */
export type Sessions = {
  /** The live session of a token; undefined for an unknown or ended one. Extends the session. */
  readonly find: (token: string) => Promise<Session | undefined>
}

/** In production, all staff need a second factor: every role sees persons or writes in public. */
export const requiresTotp = ({ production }: { readonly production: boolean }): boolean => production

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined
  }
}

/** A refusal keeps the session, so the log can name its member. */
type Judged = { readonly session?: Session | undefined } & ({ readonly ok: true } | { readonly ok: false; readonly code: RefusalCode })
const deny = (code: RefusalCode): Judged => ({ ok: false, code })

function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1]
}

type Guard = Pick<EndpointSpec, 'access' | 'roles' | 'stepUp' | 'beforeTotp'>

/** Checks a request against the access that its call declares. */
export function authorize(request: FastifyRequest, guard: Guard, sessions: Sessions): Promise<Judged> {
  const { access } = guard
  if (access === 'visitor' || access === 'signed') return NOBODY
  if (access === 'anyone' && request.headers.authorization === undefined) return NOBODY
  const token = bearerToken(request)
  if (token === undefined) return Promise.resolve(deny('unauthenticated'))
  return sessions.find(token).then((session) => {
    const judged = judge(session, guard)
    return judged.ok ? judged : { ...judged, session }
  })
}

const NOBODY = Promise.resolve<Judged>({ ok: true, session: undefined })

function judge(session: Session | undefined, { access, roles, stepUp, beforeTotp }: Guard): Judged {
  if (session === undefined) return deny('unauthenticated')
  if (access === 'anyone') return { ok: true, session: session.kind === 'member' ? session : undefined }
  if (access === 'session') return { ok: true, session }
  if (access === 'admin') {
    if (session.kind !== 'admin' || roles?.includes(session.staffRole) !== true) return deny('forbidden')
    if (session.owesTotp && beforeTotp !== true) return deny('totp_required')
    return stepUp === true && !session.steppedUp ? deny('step_up_required') : { ok: true, session }
  }
  if (session.kind !== 'member') return deny('forbidden')
  if (access === 'verified' && !session.emailVerified) return deny('email_unverified')
  if (access === 'verified' && session.suspended) return deny('on_hold')
  return { ok: true, session }
}
