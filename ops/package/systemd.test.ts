/** Tests the unit: its flags equal npm start's, systemd accepts it, and its exposure stays low. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SERVER_FLAGS, SERVER_MEMORY } from '../launch/server-program.mjs'
import { sources, text } from '../tidy/source.ts'

const unit = readFileSync(path.join(import.meta.dirname, 'roz.service'), 'utf8')
const [, started = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? []
const folder = mkdtempSync(path.join(tmpdir(), 'roz-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** An instance, with a program that exists on this machine. */
const instance = path.join(folder, 'roz@8080.service')
writeFileSync(instance, unit.replace('/opt/roz/node', process.execPath))
const hasSystemd = existsSync('/usr/bin/systemd-analyze')
const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', [...args, instance], { encoding: 'utf8' })

test('it starts the server with the flags and the memory settings of npm start', () => {
  const flags = SERVER_FLAGS.filter((flag: string) => !flag.startsWith('--v8-pool-size'))
  expect(started.split(' ').slice(started.split(' ').indexOf('/opt/roz/node'))).toEqual(['/opt/roz/node', ...flags, 'server/src/main.ts'])
  for (const [name, value] of Object.entries(SERVER_MEMORY)) expect(unit).toContain(`${name}=${value}`)
})

test('an instance has its own port and the pages of its own folder, also where the file of settings names others', () => {
  const [program = '', ...words] = started.replace('%i', '8081').split(' ')
  const before = words.slice(0, words.indexOf('/opt/roz/node'))
  const show = ['-p', '[process.env.PORT, process.env.WEB_DIR].join()']
  const { stdout } = spawnSync(program, [...before, process.execPath, ...show], {
    encoding: 'utf8',
    env: { PORT: '9000', WEB_DIR: '/opt/roz/web' },
  })
  expect(stdout).toBe('8081,web\n')
})

test('the page of upgrades changes the one link that the unit names, and every page names its instances', () => {
  // Paths that systemd and the program look up by the link; the rest is relative to the folder of the start.
  const settings = unit.split('\n').filter((line) => /^(WorkingDirectory|Environment|ExecStart)=/.test(line))
  expect([...settings.join('\n').matchAll(/\/opt\/\S+/g)].map(([place]) => place)).toEqual(['/opt/roz', '/opt/roz/node'])
  const links = [...text('docs/runbooks/upgrade.md').matchAll(/ln -sfn (\S+) (\/\S*\w)/g)]
  expect(links.length).toBeGreaterThan(1)
  for (const [, version, link] of links) expect([version, link]).toEqual([expect.stringMatching(/^\/opt\/roz-\d+\.\d+\.\d+$/), '/opt/roz'])
  const units = sources.flatMap(({ name, text: page }) =>
    name.endsWith('.md')
      ? [...page.matchAll(/systemctl (?:start|stop|restart|enable --now) ([^`\n]+)/g)].flatMap(([, words = '']) => words.split(' '))
      : [],
  )
  expect(units.length).toBeGreaterThan(4)
  expect(units.filter((name) => !/^roz@\d+$/.test(name))).toEqual([])
})

test.runIf(hasSystemd)('systemd accepts it without a complaint', () => {
  const { status, stdout, stderr } = analyze('verify')
  expect([status, stdout + stderr]).toEqual([0, ''])
})

test.runIf(hasSystemd)('its exposure is at most 1.5 of 10', () => {
  const { status, stdout } = analyze('security', '--offline=true', '--threshold=15', '--no-pager')
  expect([status, stdout.includes('Overall exposure level')]).toEqual([0, true])
})
