/**
 * One call of the HTTP API as a value: what the server validates and serves, what the web's client
 * is typed by, and what /api/openapi.json prints. `access` and `refusals` are required, so that a
 * forgotten guard or an undeclared refusal does not compile.
 */
import type { RefusalCode } from '@roz/core/refusals.ts'
import type { z } from 'zod'

/**
 * visitor: anyone, a token is not looked at · anyone: a member's token counts, an admin's or none
 * is a visitor's · member: a member's session, also of a staff account that logged in as a member ·
 * holder: … of an account that holds a wallet, never of staff · verified: a holder whose mail is confirmed
 * and who is not on hold · session: a member's or an admin's session · admin: an admin's session ·
 * signed: a webhook, judged by its signature.
 */
export type Access = 'visitor' | 'anyone' | 'member' | 'holder' | 'verified' | 'session' | 'admin' | 'signed'
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type EndpointSpec = {
  readonly method: Method
  /** Below /api; parameters in the OpenAPI manner: `/wallet/verify/{orderId}`. */
  readonly path: `/${string}`
  readonly access: Access
  /** One sentence for the reader of the API document. */
  readonly summary: string
  readonly params?: z.ZodType
  readonly query?: z.ZodType
  /** The JSON body; without one the call takes none. */
  readonly body?: z.ZodType
  /** A multipart upload: the name of its file field and the most bytes it may have. */
  readonly upload?: { readonly field: string; readonly bytesMax: number }
  /** The webhook's raw bytes are handed on as they came. */
  readonly raw?: true
  /** The answer's body; `text` is text/plain, `empty` none, `file` bytes as they were published. */
  readonly output: z.ZodType | 'text' | 'empty' | 'file'
  /** The status of an accepted answer; 200 by default. */
  readonly status?: 200 | 201 | 202 | 204
  /** A second accepted status that the handler may choose. */
  readonly alsoStatus?: 202
  /** Refusals beyond those that access and input bring (see `impliedRefusals`). */
  readonly refusals: readonly RefusalCode[]
  /** An administrator's call that moves money: refused without a step-up of the last ten minutes. */
  readonly stepUp?: true
  /** public: the answer depends on who asks without being private to them. file: it is the same for everybody. */
  readonly cache?: 'public' | 'file'
}

/** Published bytes: the same for everybody, and for ever once they are final. */
export type PublicFile = {
  readonly type: string
  readonly isFinal: boolean
  /** Changes with the bytes. */
  readonly etag: string
  readonly bytes: number
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
}

/** A call that takes an Idempotency-Key moves money: a staff account, which has no wallet, must not reach it as a member. */
type MoneyGuarded<E extends EndpointSpec> = 'idempotency_mismatch' extends E['refusals'][number]
  ? { readonly access: 'holder' | 'verified' | 'admin' }
  : unknown

export const endpoint = <const E extends EndpointSpec>(spec: E & MoneyGuarded<E>): E => spec

/** The refusals that a call may answer without naming them, from how it is declared. */
export function impliedRefusals(spec: EndpointSpec): RefusalCode[] {
  const byAccess: Record<Access, RefusalCode[]> = {
    visitor: [],
    anyone: ['unauthenticated'],
    member: ['unauthenticated', 'forbidden'],
    holder: ['unauthenticated', 'forbidden'],
    verified: ['unauthenticated', 'forbidden', 'email_unverified', 'on_hold'],
    session: ['unauthenticated', 'forbidden'],
    admin: ['unauthenticated', 'forbidden'],
    signed: ['webhook_signature'],
  }
  const byBody: RefusalCode[] = spec.body === undefined ? [] : ['bad_json', 'body_too_large', 'unsupported_media_type']
  const byInput: RefusalCode[] = spec.body === undefined && spec.query === undefined && spec.params === undefined ? [] : ['invalid_input']
  const byStepUp: RefusalCode[] = spec.stepUp === true ? ['step_up_required'] : []
  return [...new Set([...byAccess[spec.access], ...byStepUp, ...byBody, ...byInput, ...spec.refusals])]
}

/** Every error answer of the API. */
export type ErrorAnswer = {
  readonly code: string
  readonly message: string
  readonly fields?: Readonly<Record<string, string>>
  /** What the message names, for words in another language: who has it. */
  readonly values?: Readonly<Record<string, string>>
}
