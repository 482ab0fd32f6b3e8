/**
 * Who asks. Invariant: a token opens only the calls of its kind; an admin's token never opens a
 * member's call and the other way round (product.md "Sessions"); a staff account moves no money as a member. 401 is for a missing, unknown or
 * ended token; a token of the wrong kind answers 403 forbidden.
 */
import type { Access } from '@roz/contract/endpoint.ts'
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { FastifyRequest } from 'fastify'

export type MemberSession = {
  readonly kind: 'member'
  /** SHA-256 of the token: the session's key in the database. */
  readonly tokenHash: Buffer
  readonly memberId: bigint
  readonly emailVerified: boolean
  readonly suspended: boolean
  /** A staff account at the members' door: it holds no wallet. */
  readonly isStaff: boolean
}
/** The session of an account that holds a wallet. */
export type HolderSession = MemberSession & { readonly isStaff: false }
export type StaffRole = 'owner' | 'finance' | 'editor' | 'support' | 'auditor'
export type AdminSession = {
  readonly kind: 'admin'
  readonly tokenHash: Buffer
  readonly memberId: bigint
  readonly staffRole: StaffRole
  /** The password was given within the last ten minutes. */
  readonly steppedUp: boolean
}
export type Session = MemberSession | AdminSession

/** Where sessions are looked up; built by the identity feature. */
export type Sessions = {
  /** The live session of a token, or undefined for an unknown or ended one. Slides its end. */
  readonly find: (token: string) => Promise<Session | undefined>
}

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined
  }
}

/** A refusal keeps the session that was shown: the log says whose it was. */
type Judged = { readonly session?: Session | undefined } & ({ readonly ok: true } | { readonly ok: false; readonly code: RefusalCode })
const deny = (code: RefusalCode): Judged => ({ ok: false, code })

function bearerToken(request: FastifyRequest): string | undefined {
  const match = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')
  return match?.[1]
}

/** Judges a request by the access its call declares. */
export function authorize(
  request: FastifyRequest,
  { access, stepUp }: { readonly access: Access; readonly stepUp?: true },
  sessions: Sessions,
): Promise<Judged> {
  if (access === 'visitor' || access === 'signed') return NOBODY
  if (access === 'anyone' && request.headers.authorization === undefined) return NOBODY
  const token = bearerToken(request)
  if (token === undefined) return Promise.resolve(deny('unauthenticated'))
  return sessions.find(token).then((session) => {
    const judged = judge(session, access, stepUp)
    return judged.ok ? judged : { ...judged, session }
  })
}

const NOBODY = Promise.resolve<Judged>({ ok: true, session: undefined })

function judge(session: Session | undefined, access: Access, stepUp: true | undefined): Judged {
  if (session === undefined) return deny('unauthenticated')
  if (access === 'anyone') return { ok: true, session: session.kind === 'member' ? session : undefined }
  if (access === 'session') return { ok: true, session }
  if (access === 'admin') {
    if (session.kind !== 'admin') return deny('forbidden')
    return stepUp === true && !session.steppedUp ? deny('step_up_required') : { ok: true, session }
  }
  if (session.kind !== 'member') return deny('forbidden')
  if (access === 'member') return { ok: true, session }
  if (session.isStaff) return deny('forbidden')
  if (access === 'verified' && !session.emailVerified) return deny('email_unverified')
  if (access === 'verified' && session.suspended) return deny('on_hold')
  return { ok: true, session }
}
