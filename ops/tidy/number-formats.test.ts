/** Numbers for people are formatted by core/src/numbers.ts: Indian groups in every language. */
import { expect, test } from 'vitest'
import { sources } from './source.ts'

/** Programs that import nothing of ours, and the figures for developers. */
const OTHERS = /^(gateway-sandbox|verifier|lab|ops)\/|\.test\.tsx?$/
const FORMATS = /Intl\.NumberFormat\(|\.toLocaleString\(/

const formatsIn = (files: readonly { readonly name: string; readonly text: string }[]): string[] =>
  files.filter(({ name, text }) => /\.tsx?$/.test(name) && !OTHERS.test(name) && FORMATS.test(text)).map(({ name }) => name)

test('no file formats numbers but the one of core', () => {
  expect(formatsIn(sources)).toEqual(['core/src/numbers.ts'])
})

test('a second one is found', () => {
  expect(
    formatsIn([
      { name: 'web/src/x.tsx', text: "new Intl.NumberFormat('en')" },
      { name: 'server/src/x.ts', text: 'n.toLocaleString()' },
    ]),
  ).toHaveLength(2)
})
