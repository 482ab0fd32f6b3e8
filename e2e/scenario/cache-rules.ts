/**
 * The cache rule of every public GET in the API document.
 * - A helped person may take the consent back. No cache shows an answer that may name or show one without asking.
 */
import { expect } from 'vitest'
import { api, type CallName } from '@roz/contract/api.ts'
import { addressOf, specOf } from '../harness/calls.ts'

const RULES = {
  /** Kept nowhere: it is for this caller. */
  never: /^no-store$/,
  /** Shown for seconds by caches. It names nobody who was helped. */
  seconds: /^public, max-age=0, s-maxage=2, stale-while-revalidate=30, stale-if-error=86400$/,
  /** Asked for each time, by its ETag: it may name or show a helped person. */
  asked: /^public, no-cache$/,
  /** A file of the public protocol, which has no name of a helped person. */
  file: /^public, max-age=(?:2, s-maxage=2, stale-while-revalidate=5|31536000, immutable)$/,
} as const

const RULE_OF = {
  googleNonce: 'never',
  verifyEmail: 'never',
  // A visitor gets only the day of a story about a person (features/rounds/views.ts).
  currentRound: 'seconds',
  home: 'asked',
  stories: 'asked',
  publicDays: 'asked',
  publicDay: 'asked',
  publicReceipt: 'asked',
  followUpPicture: 'asked',
  logKey: 'file',
  logCheckpoint: 'file',
  logEntries: 'file',
  logSealed: 'file',
  drawFile: 'file',
  drawTickets: 'file',
  booksFile: 'file',
  liabilitiesFile: 'file',
  rulesFile: 'file',
  logInclusion: 'file',
  logConsistency: 'file',
} as const satisfies Partial<Record<CallName, keyof typeof RULES>>

type Operation = { readonly operationId: CallName; readonly security?: readonly object[] }
type Document = { readonly paths: Readonly<Record<string, { readonly get?: Operation }>> }

const isOpen = ({ security }: Operation): boolean => security === undefined || security.some((way) => Object.keys(way).length === 0)

/** `day`: one whose books are published; `helped`: a name that only an answer of rule `asked` may have. */
export async function expectCacheRules(url: string, { day, helped }: { readonly day: string; readonly helped: string }): Promise<void> {
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as Document
  const open = Object.values(paths).flatMap(({ get }) => (get !== undefined && isOpen(get) ? [get.operationId] : []))
  expect(open.toSorted()).toEqual(Object.keys(RULE_OF).toSorted())
  const records = await (await fetch(`${url}/api/public/log/entries/0`)).text()
  const hash = /"rules":"([0-9a-f]{64})"/.exec(records)?.[1] ?? ''
  const params = { day, hash, n: '0', id: '00000000-0000-4000-8000-000000000000' }
  const query = { index: '0', size: '1', from: '1', to: '1' }
  const answered: string[] = []
  for (const [name, rule] of Object.entries(RULE_OF) as [keyof typeof RULE_OF, keyof typeof RULES][]) {
    const response = await fetch(url + addressOf(specOf(name), { params, ...('query' in api[name] ? { query } : {}) }))
    const [cacheControl, text] = [response.headers.get('cache-control'), await response.text()]
    if (response.status === 200) {
      answered.push(name)
      expect([name, cacheControl]).toEqual([name, expect.stringMatching(RULES[rule])])
      if (rule !== 'asked') expect([name, text.includes(helped)]).toEqual([name, false])
    } else expect([name, response.status, cacheControl]).toEqual([name, expect.any(Number), 'no-store'])
  }
  // Bills and pictures have their header in the tests of the help desk; a link of a mail needs its token; a day may have no witness.
  const elsewhere = ['verifyEmail', 'publicReceipt', 'followUpPicture', 'logSealed']
  expect(Object.keys(RULE_OF).filter((name) => !answered.includes(name) && !elsewhere.includes(name))).toEqual([])
}
