/**
 * Compares an answer with the contract: its status, its body, and the code of a refusal.
 * - A request that reaches no call answers `not_found` or `method_not_allowed`.
 * - A request that is no HTTP is refused by the parser, before any call.
 */
import { isDeepStrictEqual } from 'node:util'
import { api } from '@roz/contract/api.ts'
import { type EndpointSpec, impliedRefusals } from '@roz/contract/endpoint.ts'
import { REFUSALS, type RefusalCode } from '@roz/core/refusals.ts'
import type { FuzzRequest } from './requests.ts'
import type { Answer } from './send.ts'

const KEYS = new Set(['code', 'message', 'fields', 'values'])
/** Refusals of the server before it looks for the call: no call declares them. */
const BEFORE_CALLS: readonly RefusalCode[] = ['overloaded', 'wrong_host']
/** The server's parser refuses what is no HTTP, and headers above 16 KB. */
const NO_HTTP = new Set([400, 414, 431])

type Judged = { readonly code: string; readonly fault: string | undefined; readonly output?: unknown }
const fault = (words: string, code = ''): Judged => ({ code, fault: words })

/** The call that this request reaches, if its path or method were spoiled: undefined if none. */
function reached({ call, method, address }: FuzzRequest): { readonly spec: EndpointSpec; readonly isSpoiled: boolean } {
  const spec: EndpointSpec = api[call]
  const path = address.split('?')[0]?.slice('/api'.length) ?? ''
  const pattern = new RegExp(`^${spec.path.replace(/\{\w+\}/g, '[^/]*')}$`)
  return { spec, isSpoiled: method !== spec.method || !pattern.test(path) || !isAddress(path) }
}

/** The router knows no address with a part that cannot be decoded, or that is longer than any id. */
const PART_MAX = 100
function isAddress(path: string): boolean {
  try {
    return path.split('/').every((part) => decodeURIComponent(part).length <= PART_MAX)
  } catch {
    return false
  }
}

export function judgeAnswer(request: FuzzRequest, { status, type, body }: Answer): Judged {
  const { spec, isSpoiled } = reached(request)
  const text = body.toString('utf8')
  // An answer to HEAD has no body.
  if (request.method === 'HEAD') return { code: '', fault: text === '' ? undefined : 'a body in an answer to HEAD' }
  if (status >= 400) return judgeRefusal(spec, isSpoiled, status, type, text)
  // Another method or path may reach another call; its own requests judge its answers.
  if (isSpoiled) return status < 400 ? { code: 'other', fault: undefined } : fault(`${status} without a reason`)
  if (status === 304)
    return spec.cache === undefined && spec.output !== 'file' ? fault('304 of a call that no cache keeps') : { code: '', fault: undefined }
  if (status !== (spec.status ?? 200) && status !== spec.alsoStatus) return fault(`the status ${status} is not declared`)
  if (spec.output === 'empty') return text === '' ? { code: '', fault: undefined } : fault('a body that is not declared')
  if (typeof spec.output === 'string') return { code: '', fault: undefined, output: spec.output === 'file' ? text : undefined }
  if (!type.startsWith('application/json')) return fault(`the type ${type} instead of JSON`)
  const output: unknown = JSON.parse(text)
  const parsed = spec.output.safeParse(output)
  if (!parsed.success) return fault(`the body is not what the contract declares: ${parsed.error.message.slice(0, 300)}`)
  // Parsing removes unknown keys, so an undeclared field is a difference.
  return isDeepStrictEqual(parsed.data, output) ? { code: '', fault: undefined, output } : fault('a field that is not declared')
}

function judgeRefusal(spec: EndpointSpec, isSpoiled: boolean, status: number, type: string, text: string): Judged {
  if (spec.output === 'text' && type.startsWith('text/plain'))
    return { code: 'text', fault: text.trim() === '' ? 'a refusal without words' : undefined }
  let answer: { readonly code?: string; readonly message?: string; readonly fields?: Readonly<Record<string, string>> }
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    return fault(`a refusal that is no JSON: ${status} ${text.slice(0, 100)}`)
  }
  if (answer.code === undefined || !(answer.code in REFUSALS)) {
    return NO_HTTP.has(status) ? { code: 'no HTTP', fault: undefined } : fault(`a refusal with an unknown code: ${text.slice(0, 200)}`)
  }
  const code = answer.code as RefusalCode
  if (REFUSALS[code].status !== status) return fault(`${code} with the status ${status}`, code)
  if (!Object.keys(answer).every((key) => KEYS.has(key))) return fault(`a refusal with other keys: ${Object.keys(answer).join()}`, code)
  if ([answer.message ?? '', ...Object.values(answer.fields ?? {})].some((words) => words.trim() === ''))
    return fault('a refusal without words', code)
  if (isSpoiled || BEFORE_CALLS.includes(code)) return { code, fault: undefined }
  return impliedRefusals(spec).includes(code) ? { code, fault: undefined } : fault(`the refusal ${code} is not declared`, code)
}
