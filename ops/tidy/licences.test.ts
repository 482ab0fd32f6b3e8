/** Checks that the licence of every package allows ours, and that docs/dependencies.md counts them as the lockfile does. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ROOT, text } from './source.ts'

type Entry = { readonly license?: string; readonly link?: boolean; readonly dev?: boolean; readonly devOptional?: boolean }
const { packages } = JSON.parse(text('package-lock.json')) as { readonly packages: Readonly<Record<string, Entry>> }
const foreign = Object.entries(packages).filter(([place, { link }]) => place.startsWith('node_modules/') && link !== true)

/** Each may be part of a work under AGPL-3.0 (docs/decisions/0028-the-licence.md). */
const COMPATIBLE = new Set(['MIT', 'MIT-0', 'ISC', '0BSD', 'BSD-3-Clause', 'Unlicense', 'Apache-2.0', 'LGPL-3.0-or-later', 'MPL-2.0'])
/** Data that the build reads and does not ship. */
const DATA_OF_THE_BUILD = new Map([['CC-BY-4.0', ['node_modules/caniuse-lite']]])
test('the licence of every package allows the product’s licence', () => {
  const findings = foreign
    .filter(([place, { license = 'none' }]) => {
      if (DATA_OF_THE_BUILD.get(license)?.includes(place)) return false
      const isCompatible = (part: string): boolean => COMPATIBLE.has(part)
      return license.includes(' OR ') ? !license.split(' OR ').some(isCompatible) : !license.split(' AND ').every(isCompatible)
    })
    .map(([place, { license }]) => `${place}: ${license}`)
  expect(findings).toEqual([])
  expect(foreign.length).toBeGreaterThan(200)
})

test('docs/dependencies.md counts the licences and packages of the lockfile', () => {
  const counts = new Map<string, number>()
  for (const [, { license = 'none' }] of foreign) counts.set(license, (counts.get(license) ?? 0) + 1)
  const page = text('docs/dependencies.md')
  const listed = [...page.matchAll(/(?:^|· )([A-Za-z0-9. -]+?) \((\d+)\)/gm)].map(([, name, count]) => [name, Number(count)])
  expect(listed.toSorted()).toEqual([...counts].toSorted())
  expect(Number(/each of the (\d+) packages/.exec(page)?.[1])).toBe(foreign.length)
})

test('the product, the verifier and the protocol each have the licence that their package names', () => {
  const licence = (folder: string): string => readFileSync(path.join(ROOT, folder, 'LICENSE'), 'utf8')
  expect((JSON.parse(text('package.json')) as Entry).license).toBe('AGPL-3.0-only')
  expect(licence('.')).toContain('GNU AFFERO GENERAL PUBLIC LICENSE')
  expect((JSON.parse(text('verifier/package.json')) as Entry).license).toBe('Apache-2.0')
  for (const folder of ['verifier', 'spec']) expect(licence(folder)).toMatch(/Apache License\s+Version 2\.0/)
  expect(existsSync(path.join(ROOT, 'SECURITY.md'))).toBe(true)
})
