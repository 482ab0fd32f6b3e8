/** One name, one thing: a name that server, core or contract exports is declared in one file. */
import { expect, test } from 'vitest'
import { code } from './source.ts'

const EXPORTED = /^export (?:async )?(?:const|function|type|class) (\w+)/gm

export function declaredTwice(files: readonly { readonly name: string; readonly text: string }[]): string[] {
  const places = new Map<string, string[]>()
  for (const { name, text } of files) {
    for (const declared of new Set([...text.matchAll(EXPORTED)].map(([, found]) => found as string)))
      places.set(declared, [...(places.get(declared) ?? []), name])
  }
  return [...places].filter(([, found]) => found.length > 1).map(([declared, found]) => `${declared}: ${found.join(', ')}`)
}

test('two files that export one name are found', () => {
  const files = [
    { name: 'a.ts', text: 'export const cut = 1\nexport type Cut = 2' },
    { name: 'b.ts', text: 'export async function cut() {}\nconst Cut = 3' },
  ]
  expect(declaredTwice(files)).toEqual(['cut: a.ts, b.ts'])
})

test('no two files of server, core and contract export one name', () => {
  const found = declaredTwice(code.filter(({ name, isTest }) => /^(server|core|contract)\/src\//.test(name) && !isTest))
  expect(found, 'Rename the one that means something else, or let both import one.').toEqual([])
})
