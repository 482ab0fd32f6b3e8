/**
 * Checks docs/security.md.
 * - Each requirement of ASVS 5.0.0, levels 1 and 2, is in one row; the page counts those of each state.
 * - It names each call that accepts a file, with its limit, as the contract does.
 * - It names only files that exist. A requirement that is shown names a file or a chapter of the page.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { api } from '@roz/contract/api.ts'
import type { EndpointSpec } from '@roz/contract/endpoint.ts'
import { expect, test } from 'vitest'
import { ROOT, text } from './source.ts'

const page = text('docs/security.md')
type Row = { readonly id: string; readonly state: string; readonly by: string }
/** Each id of `4.3.1–2, 4.4.1`. */
const idsIn = (cell: string): string[] =>
  [...cell.matchAll(/(\d+\.\d+\.)(\d+)(?:–(\d+))?/g)].flatMap(([, section = '', first = '', last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) => `${section}${Number(first) + index}`),
  )
const inOrder = (id: string): number => id.split('.').reduce((sum, part) => sum * 100 + Number(part), 0)
/** A row has one requirement or several. Without a state they are shown. */
const rows: readonly Row[] = [...page.matchAll(/^\| ([\d., –]+) \| .+? \| (?:(accepted|n\/a): )?(.+) \|$/gm)]
  .flatMap(([, ids = '', state = 'shown', by = '']) => idsIn(ids).map((id) => ({ id, state, by })))
  .toSorted((one, other) => inOrder(one.id) - inOrder(other.id))
/** The paths from the root in a text: code spans with a file ending. */
const namedIn = (words: string): string[] =>
  [...words.matchAll(/`([\w.@/-]+\.(?:tsx?|mjs|md|json|sql|py|conf))`/g)].map(([, name = '']) => name)

/** SHA-256 of the 253 ids of the standard's own list, one per line. */
const IDS = '79057352bbaa6d11599fa57f1b0455bde70e5d3fa0ddacdc5f870a2be3ddf1ad'

test('each of the 253 requirements is in one row', () => {
  const ids = rows.map(({ id }) => id)
  expect(ids).toHaveLength(253)
  expect(new Set(ids).size).toBe(253)
  expect(
    createHash('sha256')
      .update(`${ids.join('\n')}\n`)
      .digest('hex'),
  ).toBe(IDS)
})

test('the page states the right number of rows in each state', () => {
  const count = (state: string): number => rows.filter((row) => row.state === state).length
  expect(page).toContain(
    `Of 253 requirements ${count('shown')} are shown, ${count('accepted')} are accepted, ${count('n/a')} do not apply.`,
  )
  expect(count('shown') + count('accepted') + count('n/a')).toBe(253)
})

test('the page names each call that accepts a file, with its limit', () => {
  const named = [...page.matchAll(/^- `(\w+ \/[^`]*)`, at most (\d+) MiB:/gm)].map(([, call = '', mib = '']) => [call, Number(mib)])
  const accepts = Object.values(api as Readonly<Record<string, EndpointSpec>>).flatMap(({ method, path: address, upload }) =>
    upload === undefined ? [] : [[`${method} ${address}`, upload.bytesMax / 1024 / 1024]],
  )
  expect(named.toSorted()).toEqual(accepts.toSorted())
})

test('every file that the page names exists', () => {
  const names = namedIn(page)
  expect(names.length).toBeGreaterThan(200)
  expect([...new Set(names)].filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([])
  const linked = [...page.matchAll(/\]\((?!https?:|#)([^)]+)\)/g)].map(([, to = '']) => path.join(ROOT, 'docs', to))
  expect(linked.filter((file) => !existsSync(file))).toEqual([])
})

test('a requirement that is accepted gives a reason', () => {
  const bare = rows.filter(({ state, by }) => state === 'accepted' && !/Reason|see \d/.test(by))
  expect(bare).toEqual([])
})

test('a requirement that is shown names a file or a chapter of this page', () => {
  const bare = rows.filter(({ state, by }) => state === 'shown' && namedIn(by).length === 0 && !/\*[\w ,-]+\* above/.test(by))
  expect(bare).toEqual([])
  const chapters = rows.flatMap(({ by }) => [...by.matchAll(/\*([A-Z][\w ,-]+)\*/g)].map(([, chapter = '']) => chapter))
  expect(chapters.filter((chapter) => !page.includes(`**${chapter}.**`))).toEqual([])
})
