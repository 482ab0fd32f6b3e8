/**
 * Makes the app's calls to the server. Only published files (published.ts) and the first `me` (first-answer.ts) are requested elsewhere.
 * - The contract types every call. A failed call throws ApiError, with a message to show, or NetworkError.
 * - An answer that has not the form of the call, such as a captive portal's page, is no answer (answers.ts).
 * - A 401 from any call but a login ends the session.
 * - An answer to a member whose session has ended meanwhile is dropped: its call never settles, so that nothing of it reaches the next
 *   member of the same page.
 * - Every call has a time limit, unless `isPatient` is set. A write that exceeds it is reported as "we could not tell", never as a failure.
 */
import { t } from '@lingui/core/macro'
import type { Api, Output, Request } from '@roz/contract/api.ts'
import type { ErrorAnswer } from '@roz/contract/endpoint.ts'
import type { Texts } from '@roz/core/language.ts'
import { calls, type CallTable, type ScreenCall } from 'virtual:calls'
import { forms, type Forms } from 'virtual:forms'
import { completedAnswer, DERIVED } from './answers.ts'
import { currentLanguage } from './language.ts'
import { settings } from './settings.ts'
import { token } from './token.ts'

const hex = (): string => crypto.randomUUID().replaceAll('-', '')
/**
 * The header with which the server continues the trace of a call (W3C Trace Context). The browser sends no spans of its own.
 * - `randomUUID` exists only on secure pages (https, localhost): elsewhere no call has the header.
 * - Each call has new random ids: no header connects two calls of a member.
 * - The last part asks for recording; the server decides by the trace's id.
 */
const newTraceparent = (): string => `00-${hex()}-${hex().slice(16)}-01`

/** A refusal by the server. `message` is in the chosen language and may be shown as it is. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly fields: Readonly<Record<string, string>>
  constructor(status: number, answer: ErrorAnswer) {
    super(answer.message)
    this.status = status
    this.code = answer.code
    this.fields = answer.fields ?? {}
  }
}

/** No answer of the server arrived: the browser is offline, the connection was refused or cut, or another machine answered. Whether the server executed the call is unknown. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError'
}

/** A proxy's answers while the server behind it is down or starts again. */
const AWAY: readonly number[] = [502, 503, 504]
/** Nobody answered: neither yes nor no. A server that is starting again may answer the next attempt. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof NetworkError || (error instanceof ApiError && AWAY.includes(error.status))

/** The server's message if it sent one, else the fallback. */
export const messageOf = (error: unknown, fallback: string): string =>
  error instanceof ApiError && error.message !== '' ? error.message : fallback

/** The status of a write without an answer in time, here or at a proxy (504). The server may have executed it, or may still do so. */
const UNANSWERED = 504

export const READ_WITHIN_MS = 30_000
const WRITE_WITHIN_MS = 60_000
/** A slow phone on 2G. An upload gets extra time for its size, because fetch does not report upload progress. */
const UPLOAD_BYTES_PER_MS = 4

/** A request under way. `end` aborts it, body included. */
export type SentRequest = { readonly answer: Promise<Response>; readonly end: () => void }

type Defined<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] }
type Optional<T> = { [K in keyof T as undefined extends T[K] ? never : object extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : object extends T[K] ? K : never]?: T[K]
}
type Extras = {
  readonly signal?: AbortSignal
  /** The caller keeps it across its own retries of one money-moving call. */
  readonly idempotencyKey?: string
  /** A request that was already sent for this call. */
  readonly made?: SentRequest | undefined
  /** No time limit: the screen itself offers a way out. */
  readonly isPatient?: true
}
type Given<N extends ScreenCall> = Optional<Defined<Request<Api[N]>>> &
  (Api[N] extends { upload: object } ? { upload: Blob } : object) &
  Extras
type Arguments<N extends ScreenCall> = object extends Given<N> ? [given?: Given<N>] : [given: Given<N>]

/** Calls whose 401 means wrong credentials and not an ended session. */
const LOGINS: readonly ScreenCall[] = ['login', 'google', 'adminLogin']

let onSessionEnded = (): void => undefined
/** The listener is called after a 401 from any call but a login, once the token is cleared. */
export function whenSessionEnds(listener: () => void): void {
  onSessionEnded = listener
}

const known: Partial<CallTable<ScreenCall>> = { ...calls }
const knownForms: Partial<Forms<ScreenCall>> = { ...forms }
type More = { readonly calls: Partial<CallTable<ScreenCall>>; readonly forms: Partial<Forms<ScreenCall>> }
/** Adds a table of calls: the portal's for its routes, AutoPay's for its card. */
export async function loadCalls(table: Promise<More>): Promise<void> {
  const more = await table
  Object.assign(known, more.calls)
  Object.assign(knownForms, more.forms)
}

/** Makes one call of the contract: `await call('joinRound')`. */
export async function call<N extends ScreenCall>(name: N, ...[given]: Arguments<N>): Promise<Output<Api[N]>> {
  const parts: LooseRequest = given ?? {}
  const [method, path] = known[name] ?? []
  if (method === undefined || path === undefined) throw new Error(`${name} is a call whose table has not loaded`)
  const { signal, upload, isPatient, made } = parts
  const aborter = new AbortController()
  const end = (): void => {
    aborter.abort()
    made?.end()
  }
  signal?.addEventListener('abort', end)
  const withinMs = method === 'GET' ? READ_WITHIN_MS : WRITE_WITHIN_MS + (upload?.size ?? 0) / UPLOAD_BYTES_PER_MS
  // Aborts the request too, which frees its connection for the next attempt.
  const timer = isPatient ? undefined : setTimeout(end, withinMs)
  try {
    return (await answerTo(name, method, path, { ...parts, signal: aborter.signal })) as Output<Api[N]>
  } catch (error) {
    if (!aborter.signal.aborted || signal?.aborted) throw error
    if (method === 'GET') throw new NetworkError('no answer', { cause: error })
    throw new ApiError(UNANSWERED, { code: '', message: t`We could not tell whether it went through.` })
  } finally {
    clearTimeout(timer)
  }
}

async function answerTo(name: ScreenCall, method: string, path: string, parts: LooseRequest): Promise<unknown> {
  const sentToken = token.get()
  const endings = token.endings()
  const response = await send(name, method, addressOf(path, parts), parts, sentToken)
  // The page of a logout waits for its answer.
  const isNobodys = (): boolean => sentToken !== undefined && name !== 'logout' && token.endings() !== endings
  if (isNobodys()) return new Promise(() => undefined)
  if (!response.ok) throw await failureOf(response, name, sentToken)
  const type = response.headers.get('content-type') ?? ''
  const form = knownForms[name] ?? '*'
  const [, media] = /^as (.*)/.exec(String(form)) ?? []
  if (!type.startsWith(media ?? 'application/json')) throw new NetworkError(`${name}: an answer of the type ${type}`)
  if (type.startsWith('image/')) return response.blob()
  const text = await bodyOf(response)
  if (isNobodys()) return new Promise(() => undefined)
  if (media === '' && text !== '') throw new NetworkError(`${name}: an answer that should be empty`)
  if (media !== undefined) return text === '' ? undefined : text
  try {
    const answer = completedAnswer(form, JSON.parse(text)) as Readonly<Record<string, unknown>>
    return withTimeOf(response, DERIVED[name]?.(answer) ?? answer)
  } catch (error) {
    throw new NetworkError(`${name}: an answer of another form`, { cause: error })
  }
}

/** A body from the cache contains an old serverTime. The header is renewed on every revalidation, so it replaces the body's value. */
function withTimeOf(response: Response, answer: unknown): unknown {
  const serverTime = response.headers.get('x-server-time')
  const isTimed = serverTime !== null && typeof answer === 'object' && answer !== null && 'serverTime' in answer
  return isTimed ? { ...answer, serverTime } : answer
}

type LooseRequest = Extras & {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly upload?: Blob
}

function addressOf(path: string, parts: LooseRequest): string {
  const params = (parts.params ?? {}) as Record<string, string>
  const filled = path.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(params[key] ?? ''))
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries((parts.query ?? {}) as Record<string, string | number | undefined>)) {
    if (value !== undefined) query.set(key, String(value))
  }
  const text = query.toString()
  return `/api${filled}${text === '' ? '' : `?${text}`}`
}

async function send(
  name: ScreenCall,
  method: string,
  address: string,
  parts: LooseRequest,
  sentToken: string | undefined,
): Promise<Response> {
  const headers = new Headers({ accept: 'application/json, text/plain', 'accept-language': currentLanguage() })
  if (sentToken !== undefined) headers.set('authorization', `Bearer ${sentToken}`)
  if (parts.idempotencyKey !== undefined) headers.set('idempotency-key', parts.idempotencyKey)
  if (settings.isTraced && isSecureContext) headers.set('traceparent', newTraceparent())
  let body: BodyInit | undefined
  if (parts.upload !== undefined) {
    const form = new FormData()
    form.set(name === 'uploadAvatar' ? 'avatar' : 'file', parts.upload)
    body = form
  } else if (parts.body !== undefined) {
    headers.set('content-type', 'application/json')
    body = JSON.stringify(parts.body)
  }
  try {
    if (parts.made !== undefined) return await parts.made.answer
    return await fetch(address, {
      method,
      headers,
      cache: 'no-store',
      ...(body === undefined ? {} : { body }),
      ...(parts.signal ? { signal: parts.signal } : {}),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new NetworkError('no answer', { cause: error })
  }
}

async function bodyOf(response: Response): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw new NetworkError('the answer was cut off', { cause: error })
  }
}

async function failureOf(response: Response, name: ScreenCall, sentToken: string | undefined): Promise<ApiError> {
  const answer = answerOf(await bodyOf(response), response.status)
  // A late 401 for an older token must not end the session that has begun since.
  if (response.status === 401 && !LOGINS.includes(name) && token.get() === sentToken) {
    token.clear()
    onSessionEnded()
  }
  return new ApiError(response.status, await inChosenLanguage(answer))
}

/** The contract's error. Any other body, such as a proxy's error page, has no code and usually no message. */
function answerOf(text: string, status: number): ErrorAnswer {
  try {
    const parsed = JSON.parse(text) as Partial<ErrorAnswer> | null
    if (typeof parsed?.code === 'string' && typeof parsed.message === 'string') return parsed as ErrorAnswer
    return { code: '', message: typeof parsed?.message === 'string' ? parsed.message : '' }
  } catch {
    // verify-email refuses in plain text, and its text is the message. Anything from 500 up, long or with markup is a proxy's page.
    const isOurs = status < 500 && text.length > 0 && text.length < 300 && !text.includes('<')
    return { code: '', message: isOurs ? text : '' }
  }
}

/** Outside English, the message comes from our own table of refusals, loaded on the first refusal. Messages about fields stay as sent. */
async function inChosenLanguage(answer: ErrorAnswer): Promise<ErrorAnswer> {
  const language = currentLanguage()
  if (language === 'en' || answer.fields !== undefined) return answer
  try {
    const { filled, REFUSALS } = await import('@roz/core/refusals.ts')
    const texts = (REFUSALS as Readonly<Record<string, Texts | undefined>>)[answer.code]
    return texts === undefined ? answer : { ...answer, message: filled(texts[language], answer.values) }
  } catch {
    // Without the table, the server's own message is shown.
    return answer
  }
}
