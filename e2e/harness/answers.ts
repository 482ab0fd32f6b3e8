/**
 * Replaces the answers that a page gets, for all calls at once.
 * - `html`: a captive portal's page with status 200. `half`: an answer whose end is missing.
 * - `bare`: the fields of the specification alone, and 404 for every other call: a server that knows nothing newer.
 * - A function: what it makes of the true answer, or undefined to leave that as it is.
 */
import { api, type CallName } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import type { Page, Route } from 'playwright-core'
import { only, SPECIFIED } from './specified.ts'

export type Rewriting = 'html' | 'half' | 'bare' | ((call: CallName, answer: unknown) => unknown)

const PORTAL_PAGE = '<!doctype html><title>Free Wi-Fi</title><h1>Accept the terms to use this network</h1>'
const patterns = (Object.entries(api) as [CallName, EndpointSpec][]).map(([name, { method, path }]) => ({
  name,
  method,
  pattern: new RegExp(`^/api${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
}))
const callAt = (method: string, address: string): CallName | undefined =>
  patterns.find((one) => one.method === method && one.pattern.test(new URL(address).pathname))?.name

async function answer(route: Route, rewriting: Rewriting): Promise<void> {
  const request = route.request()
  const name = callAt(request.method(), request.url())
  if (rewriting === 'html') return route.fulfill({ status: 200, contentType: 'text/html', body: PORTAL_PAGE })
  const response = await route.fetch().catch(() => undefined)
  // The page was left meanwhile.
  if (response === undefined) return route.abort().catch(() => undefined)
  const isJson = response.headers()['content-type']?.startsWith('application/json') === true
  if (!isJson || !response.ok() || name === undefined) return route.fulfill({ response })
  const text = await response.text()
  if (rewriting === 'half') return route.fulfill({ response, body: text.slice(0, -2) })
  // A file of lines has no single form.
  if (text.trimEnd().includes('\n{')) return route.fulfill({ response })
  const given = JSON.parse(text) as unknown
  if (rewriting !== 'bare') return route.fulfill({ response, json: rewriting(name, given) ?? given })
  const fields = SPECIFIED[name]
  if (fields === undefined) return route.fulfill({ status: 404, json: { code: 'not_found', message: 'Not found.' } })
  return route.fulfill({ response, json: only(given, new Set(fields.split(' '))) })
}

/** From now on, until `page.unrouteAll`. Calls in `except` are answered as they are. */
export const rewrite = (page: Page, rewriting: Rewriting, except: readonly CallName[] = []): Promise<void> =>
  page.route('**/api/**', (route) => {
    const name = callAt(route.request().method(), route.request().url())
    return name !== undefined && except.includes(name) ? route.continue() : answer(route, rewriting)
  }) as Promise<unknown> as Promise<void>
