/** The settings page and the samples match the declarations, and every declared setting is read. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from './declared.ts'
import { composeSample, envExample, SAMPLE_BEGIN, settingsPage } from './settings-page.ts'

const text = (name: string): string => readFileSync(path.join(import.meta.dirname, '../../..', name), 'utf8')

test('docs/settings.md and .env.example are what “npx roz settings list” makes of the declarations', () => {
  expect(text('docs/settings.md'), 'npx roz settings list --page > docs/settings.md').toBe(settingsPage())
  expect(text('.env.example'), 'npx roz settings list --env > .env.example').toBe(envExample())
})

test('the sample of the compose file ends with the settings that production needs', () => {
  const sample = text('ops/package/sample.env')
  expect(sample.slice(sample.indexOf(SAMPLE_BEGIN)), 'npx roz settings list --compose').toBe(composeSample())
})

test('every declared setting is read', () => {
  const readers = readdirSync(import.meta.dirname).filter((name) => !/(declared|settings-page|\.test)\.ts$|\.test\.ts$/.test(name))
  const own = readers.map((name) => readFileSync(path.join(import.meta.dirname, name), 'utf8')).join('\n')
  const code = own + text('server/src/adapters/cashfree/settings.ts')
  // Two accounts of the gateway have the same settings.
  const ofAccount = (name: string): string => `\`${name.replace(/_(?:PAYOUT|VERIFICATION)_/, '_$' + '{name}_')}\``
  const isRead = (name: string): boolean =>
    code.includes(`'${name}'`) || code.includes(ofAccount(name)) || new RegExp(`\\benv\\.${name}\\b`).test(code)
  const idle = SETTINGS.filter(([name]) => !isRead(name))
  expect(idle.map(([name]) => name)).toEqual([])
})

test('no sentence of a setting has a pipe, which would break its table', () => {
  expect(SETTINGS.filter(([, { says, shown = '' }]) => (says + shown).includes('|')).map(([name]) => name)).toEqual([])
})
