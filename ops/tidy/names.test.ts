/** One name, one thing: no two files of core, contract and server export the same name, and no two of core, contract and web. */
import { expect, test } from 'vitest'
import { code } from './source.ts'

const EXPORTED = /^export (?:async )?(?:const|function|type|class) (\w+)/gm

function declaredTwice(files: readonly { readonly name: string; readonly text: string }[]): string[] {
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

test.each(['server', 'web'])('no two files of core, contract and %s export the same name', (program) => {
  const files = new RegExp(`^(?:core|contract|${program})/(?:src|build)/`)
  const found = declaredTwice(code.filter(({ name, isTest }) => files.test(name) && !isTest))
  expect(found, 'Rename the declaration that means something else, or let both files import the same.').toEqual([])
})
