/** Tests the unit: its flags are those of npm start, systemd accepts it, and its exposure stays low. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { SERVER_FLAGS, SERVER_MEMORY } from '../launch/server-program.mjs'

const unit = readFileSync(path.join(import.meta.dirname, 'roz.service'), 'utf8')
const folder = mkdtempSync(path.join(tmpdir(), 'roz-unit-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
/** An instance, with a program that exists on this machine. */
const instance = path.join(folder, 'roz@8080.service')
writeFileSync(instance, unit.replace('/opt/roz/node', process.execPath))
const hasSystemd = existsSync('/usr/bin/systemd-analyze')
const analyze = (...args: readonly string[]) => spawnSync('systemd-analyze', [...args, instance], { encoding: 'utf8' })

test('it starts the server with the flags and the memory settings of npm start', () => {
  const [, started = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? []
  const flags = SERVER_FLAGS.filter((flag: string) => !flag.startsWith('--v8-pool-size'))
  expect(started.split(' ')).toEqual(['/opt/roz/node', ...flags, 'server/src/main.ts'])
  for (const [name, value] of Object.entries(SERVER_MEMORY)) expect(unit).toContain(`${name}=${value}`)
})

test.runIf(hasSystemd)('systemd accepts it without a complaint', () => {
  const { status, stdout, stderr } = analyze('verify')
  expect([status, stdout + stderr]).toEqual([0, ''])
})

test.runIf(hasSystemd)('its exposure is at most 1.5 of 10', () => {
  const { status, stdout } = analyze('security', '--offline=true', '--threshold=15', '--no-pager')
  expect([status, stdout.includes('Overall exposure level')]).toEqual([0, true])
})
