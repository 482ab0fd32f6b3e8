/**
 * One call of the HTTP API as a value. The server validates and serves it, the web's client takes its types from it, and
 * /api/openapi.json prints it.
 * - `access` and `refusals` are required, so a forgotten guard or an undeclared refusal does not compile.
 * - A call for admins declares its staff roles, and no other call does. One that moves money or lists persons declares the step-up.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { z } from 'zod'
import type { Roles } from './roles.ts'

/**
 * Access levels of a call:
 * - visitor: anybody; a token is ignored.
 * - anyone: anybody; a member's token counts, an admin's token or none is a visitor.
 * - member: a member's session; staff have none.
 * - verified: a member whose mail is confirmed and who is not suspended.
 * - session: a member's or an admin's session.
 * - admin: an admin's session, of a role that the call declares.
 * - signed: a webhook with a valid signature.
 */
export type Access = 'visitor' | 'anyone' | 'member' | 'verified' | 'session' | 'admin' | 'signed'
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type EndpointSpec = {
  readonly method: Method
  /** Path below /api; parameters as in OpenAPI: `/wallet/verify/{orderId}`. */
  readonly path: `/${string}`
  readonly access: Access
  /** The staff roles that may call it. Every other role answers 403 `forbidden`. */
  readonly roles?: Roles
  /** One sentence for the reader of the API document. */
  readonly summary: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  /** The JSON body; without it the call takes no body. */
  readonly body?: z.ZodType
  /**
   * A multipart upload: the name of its file field, its maximum size in bytes, and the refusal of a larger file. Default: a member's
   * picture.
   */
  readonly upload?: { readonly field: string; readonly bytesMax: number; readonly tooLarge?: RefusalCode }
  /** The handler gets the body's raw bytes, without parsing. */
  readonly raw?: true
  /** The answer's body; `text` is text/plain, `empty` is none, `file` is published bytes, `csv` is a streamed table. */
  readonly output: z.ZodType | 'text' | 'empty' | 'file' | 'csv'
  /** The status of an accepted answer; 200 by default. */
  readonly status?: 200 | 201 | 202 | 204
  /** A second accepted status that the handler may choose. */
  readonly alsoStatus?: 202
  /** Refusals beyond those that follow from access and input (see `impliedRefusals`). */
  readonly refusals: readonly RefusalCode[]
  /**
   * An administrator's call that moves money, that nothing undoes, or that shows many persons: refused without a step-up within the last
   * ten minutes.
   */
  readonly stepUp?: true
  /** An administrator's call that is open while the own role still has to set up an authenticator app. */
  readonly beforeTotp?: true
  /**
   * An answer to a token is never kept. A visitor's answer:
   * - public: caches may show it for seconds. It names no helped person, who may take the consent back.
   * - named: it may name one. Caches ask each time, by its ETag.
   * - file: the same for everybody.
   */
  readonly cache?: 'public' | 'named' | 'file'
}

/** Published bytes: the same for everybody, and unchangeable once they are final. */
export type PublicFile = {
  readonly type: string
  readonly isFinal: boolean
  /** Instead of the lifetime that follows from `isFinal`. */
  readonly cacheControl?: string
  /** Changes with the bytes. */
  readonly etag: string
  readonly bytes: number
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

/** A table that is read while it is sent. Undefined and null are empty cells. */
export type CsvTable = {
  readonly columns: readonly string[]
  readonly rows: AsyncIterable<readonly (string | number | boolean | null | undefined)[]>
}

/** A call with an Idempotency-Key moves money, so nobody must reach it without a wallet. */
type MoneyGuarded<E extends Said> = 'idempotency_mismatch' extends E['refusals'][number]
  ? { readonly access: 'member' | 'verified' }
  : unknown

type Said = Omit<EndpointSpec, 'method' | 'path'>
/** Method and path of a call, in one word: types tell calls apart by their paths. */
type At = `${Method} ${EndpointSpec['path']}`
type Place<A extends At> = A extends `${infer M extends Method} ${infer P extends EndpointSpec['path']}`
  ? { readonly method: M; readonly path: P }
  : never
function placeOf<A extends At>(at: A): Place<A> {
  const [method, path] = at.split(' ')
  return { method, path } as Place<A>
}

/** A call of anybody but the portal: with roles it does not compile. */
type OpenSpec = Said & { readonly access: Exclude<Access, 'admin'>; readonly roles?: never }
export const endpoint = <const A extends At, const E extends OpenSpec>(at: A, spec: E & MoneyGuarded<E>): E & Place<A> => ({
  ...placeOf(at),
  ...spec,
})

type StaffSpec = Omit<Said, 'access'> & { readonly roles: Roles }
/** An administrator's call with an Idempotency-Key moves money: without the step-up it does not compile. */
type StepUpGuarded<E extends StaffSpec> = 'idempotency_mismatch' extends E['refusals'][number] ? { readonly stepUp: true } : unknown

/** A call of the portal, for an admin's session of these roles. */
export const staffCall = <const A extends At, const E extends StaffSpec>(
  at: A,
  spec: E & StepUpGuarded<E>,
): E & Place<A> & { readonly access: 'admin' } => ({
  ...placeOf(at),
  ...spec,
  access: 'admin',
})

/** A list of the portal as a table, which the staff log records. `what` begins its summary. */
export const tableCall = <
  const P extends `/${string}`,
  const S extends { readonly roles: Roles; readonly stepUp?: true; readonly query?: z.ZodType },
>(
  path: P,
  what: string,
  spec: S,
) =>
  ({
    method: 'GET',
    path,
    access: 'admin',
    ...spec,
    summary: `${what} as a table${spec.query === undefined ? '' : ', with the same filters'}. The staff log records who fetched it.`,
    output: 'csv',
    refusals: [],
  }) as const

/** The refusals of a call, including those that follow from its declaration. */
export function impliedRefusals(spec: EndpointSpec): RefusalCode[] {
  const byAccess: Record<Access, RefusalCode[]> = {
    visitor: [],
    anyone: ['unauthenticated'],
    member: ['unauthenticated', 'forbidden'],
    verified: ['unauthenticated', 'forbidden', 'email_unverified', 'on_hold'],
    session: ['unauthenticated', 'forbidden'],
    admin: ['unauthenticated', 'forbidden'],
    signed: ['webhook_signature'],
  }
  const hasInput = spec.body !== undefined || spec.query !== undefined || spec.params !== undefined || takesKey(spec)
  const byInput: RefusalCode[] = hasInput ? ['invalid_input'] : []
  const byStepUp: RefusalCode[] = spec.stepUp === true ? ['step_up_required'] : []
  const byTotp: RefusalCode[] = spec.access === 'admin' && spec.beforeTotp !== true ? ['totp_required'] : []
  // A call that moves money writes into the books of a day.
  const byMoney: RefusalCode[] = takesKey(spec) ? ['clock_wrong'] : []
  return [...new Set([...byAccess[spec.access], ...byTotp, ...byStepUp, ...byBody(spec), ...byInput, ...byMoney, ...spec.refusals])]
}

/** A call without a body refuses a wrong one too. */
function byBody(spec: EndpointSpec): RefusalCode[] {
  if (spec.upload !== undefined) return ['unsupported_media_type']
  if (spec.method === 'GET') return ['body_too_large']
  return [...(spec.raw === true ? [] : (['bad_json'] as const)), 'body_too_large', 'unsupported_media_type']
}

/** The call repeats its first answer for the same Idempotency-Key; other calls ignore the header. */
export const takesKey = (spec: EndpointSpec): boolean => spec.refusals.includes('idempotency_mismatch')

/** The body of every error answer. */
export type ErrorAnswer = {
  readonly code: string
  readonly message: string
  readonly fields?: Readonly<Record<string, string>>
  /** The values in the message, for a client that shows its own text. */
  readonly values?: Readonly<Record<string, string>>
}
