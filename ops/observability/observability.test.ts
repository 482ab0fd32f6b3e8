/** Tests that each alert has its runbook and each runbook its alert, and runs Prometheus' own checks of the rules. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { COMMANDS } from '../../server/src/commands/roz.ts'
import { LIMITS } from '../../server/src/operation/limits-of-figures.ts'
import { sources, text } from '../tidy/source.ts'

const FOLDER = import.meta.dirname
const rules = readFileSync(path.join(FOLDER, 'alerts.yml'), 'utf8')
const valuesOf = (key: string): string[] => [...rules.matchAll(new RegExp(`^ +(?:- )?${key}: (.+)$`, 'gm'))].map(([, value]) => value ?? '')
const all = sources.filter(({ name }) => name.startsWith('docs/runbooks/'))
/** The others are steps that an operator takes unasked. */
const books = all.filter(({ text }) => /^Alerts: /m.test(text))

test('each alert names a runbook, which names the alert', () => {
  const alerts = valuesOf('alert')
  const named = valuesOf('runbook')
  expect(alerts.length).toBeGreaterThan(10)
  expect(named).toHaveLength(alerts.length)
  // A runbook of planned work has no alert.
  const ofAlerts = books.filter(({ text }) => /^Alerts: /m.test(text))
  expect([...new Set(named)].toSorted()).toEqual(ofAlerts.map(({ name }) => name).toSorted())
  const told = books.flatMap(({ name, text }) => {
    const [line = ''] = text.split('\n').filter((one) => one.startsWith('Alerts: '))
    return [...line.matchAll(/`(\w+)`/g)].map(([, alert]) => `${alert} ${name}`)
  })
  expect(told.toSorted()).toEqual(alerts.map((alert, index) => `${alert} ${named[index]}`).toSorted())
})

test('each runbook says what the alert means, where to look, what to do, and when it is over', () => {
  for (const { name, text } of books)
    for (const part of ['**Meaning.**', '**Look.**', '**Do.**', '**It is over when**'])
      expect([name, text.includes(part)]).toEqual([name, true])
})

/** The commands of a page: in a line of its blocks, or as code. `roz keys ticket N` gives `keys ticket`. */
const commandsIn = (page: string): string[] =>
  [...page.matchAll(/(?:`|^|&& )roz ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/gm)].map(([, noun = '', verb]) =>
    verb === undefined ? noun : `${noun} ${verb}`,
  )

test('a runbook without an alert says which command it is about, and every command of a runbook exists', () => {
  const silent = all.filter((book) => !books.includes(book)).filter((book) => commandsIn(book.text).length === 0)
  expect(silent.map(({ name }) => name)).toEqual([])
  const named = all.flatMap(({ name, text: page }) => commandsIn(page).map((words) => ({ name, words })))
  expect(named.length).toBeGreaterThan(30)
  expect(named.filter(({ words }) => !COMMANDS.includes(words))).toEqual([])
})

test('each npm command of a runbook exists, and the list of those that need a checkout has it', () => {
  const { scripts } = JSON.parse(text('package.json')) as { readonly scripts: Readonly<Record<string, string>> }
  const [, listed = ''] = /^- Only in a checkout: (.+)$/m.exec(text('docs/runbooks/README.md')) ?? []
  const named = new Set(all.flatMap((book) => [...book.text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)].map(([, name = '']) => name)))
  expect([...named].filter((name) => scripts[name] === undefined)).toEqual([])
  expect([...named].toSorted()).toEqual([...listed.matchAll(/`npm run ([\w:-]+)`/g)].map(([, name]) => name).toSorted())
})

test('roz status and the portal have the limits and runbooks of the alerts', () => {
  const alerts = rules.split('- alert: ').slice(1)
  for (const { name, above, runbook } of LIMITS)
    expect([
      name,
      alerts.some((alert) => alert.includes(`max(${name}) > ${above}`) && alert.includes(`docs/runbooks/${runbook}.md`)),
    ]).toEqual([name, true])
})

test('each alert has a test that it fires, and a test that it is silent', () => {
  const tests = readFileSync(path.join(FOLDER, 'alerts.test.yml'), 'utf8')
  const names = [...tests.matchAll(/^ {4}name: (.+)$/gm)].map(([, name]) => name)
  expect(names.toSorted()).toEqual(
    valuesOf('alert')
      .flatMap((alert) => [`${alert} fires`, `${alert} is silent`])
      .toSorted(),
  )
})

const inDebian = path.join(process.env.DEBIAN_PROGRAMS ?? '/nonexistent', 'usr/bin/promtool')
const promtool = ['/usr/bin/promtool', inDebian].find((file) => existsSync(file))

describe.runIf(promtool !== undefined)('promtool', () => {
  const promtoolSays = (...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(promtool ?? '', args, { cwd: FOLDER, encoding: 'utf8' })
    return stdout + stderr
  }
  test('accepts the rules and the sample of a configuration', () => {
    expect(promtoolSays('check', 'rules', 'alerts.yml')).toContain(`SUCCESS: ${valuesOf('alert').length} rules found`)
    expect(promtoolSays('check', 'config', '--syntax-only', 'prometheus.yml')).toContain('SUCCESS')
  })
  test('each alert fires and is silent as its test says', () => {
    expect(promtoolSays('test', 'rules', 'alerts.test.yml')).toContain('SUCCESS')
  }, 180_000)
})
