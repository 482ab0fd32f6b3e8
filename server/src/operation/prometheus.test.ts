/**
 * Debian's Prometheus scrapes a running server by the sample of ops/observability, and evaluates every alert and panel.
 * - `npm run test:all` unpacks it. Elsewhere these tests are shown as skipped; metrics.all.test.ts compares names and labels without it.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Program, signedInMember, startProgram, useDurableDatabase } from '../testing/program.ts'
import { askedByAlerts, askedByDashboard, OBSERVABILITY, PROMETHEUS, PROMTOOL, selectorsOf } from '../testing/prometheus.ts'
import { freePort } from '../db/embedded/process.ts'

const METRICS_TOKEN = 'a token of the metrics'

describe.runIf(PROMETHEUS !== undefined && PROMTOOL !== undefined)('Prometheus', () => {
  const database = useDurableDatabase()
  let program: Program
  let folder: string
  let prometheus: ChildProcess
  let port: number
  beforeAll(async () => {
    program = await startProgram(database, { METRICS_TOKEN })
    const joined = await program.ask('POST', '/api/rounds/join', {
      token: await signedInMember(database),
      headers: { 'idempotency-key': crypto.randomUUID() },
    })
    expect(joined.status).toBe(200)
    folder = await mkdtemp(path.join(tmpdir(), 'roz-prometheus-'))
    port = await freePort()
    prometheus = await startPrometheus(folder, { port, target: `127.0.0.1:${program.port}` })
  }, 240_000)
  afterAll(async () => {
    const ended = new Promise((resolve) => prometheus.once('close', resolve))
    prometheus.kill()
    await ended
    await rm(folder, { recursive: true })
    await program.stop()
  })

  async function ask<T>(address: string): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${address}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`${address}: ${error}`)
    return data
  }
  const query = async (expr: string): Promise<readonly object[]> =>
    (await ask<{ result: readonly object[] }>(`query?query=${encodeURIComponent(expr)}`)).result

  test('scrapes the server with its token, by the sample of a configuration', async () => {
    type Targets = { activeTargets: readonly { health: string; lastError: string }[] }
    const healths = async () => (await ask<Targets>('targets')).activeTargets.map(({ health, lastError }) => [health, lastError])
    await expect.poll(healths, { timeout: 30_000 }).toEqual([['up', '']])
  })

  test('evaluates every alert without an error', async () => {
    type Rules = { groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] }
    const unwell = async () => {
      const rules = (await ask<Rules>('rules')).groups.flatMap((group) => group.rules)
      return [rules.length, rules.filter(({ health }) => health !== 'ok')]
    }
    await expect.poll(unwell, { timeout: 30_000 }).toEqual([askedByAlerts().length, []])
  })

  test('finds the series of every alert and panel, with their labels', async () => {
    for (const asked of [...askedByAlerts(), ...askedByDashboard()]) {
      await query(asked.expr)
      for (const { name, labels } of selectorsOf(asked)) {
        const selector = `${name}{${labels.map((label) => `${label}!=""`).join()}}`
        expect([selector, (await query(selector)).length > 0]).toEqual([selector, true])
      }
    }
    expect(await query('up{job="roz"} == 1')).toHaveLength(1)
  })

  test('promtool accepts the metrics of the running server', async () => {
    const { text } = await program.ask('GET', '/metrics', { token: METRICS_TOKEN })
    const { status, stdout, stderr } = spawnSync(PROMTOOL as string, ['check', 'metrics'], { input: text, encoding: 'utf8' })
    expect([stdout + stderr, status]).toEqual(['', 0])
  })
})

/** Starts it with the sample, changed in its addresses and its pace only. */
async function startPrometheus(folder: string, { port, target }: { port: number; target: string }): Promise<ChildProcess> {
  const sample = await readFile(path.join(OBSERVABILITY, 'prometheus.yml'), 'utf8')
  const changed = sample.replaceAll('30s', '1s').replace(/targets: .*/, `targets: ['${target}']`)
  await writeFile(path.join(folder, 'prometheus.yml'), changed)
  await writeFile(path.join(folder, 'metrics-token'), METRICS_TOKEN)
  await copyFile(path.join(OBSERVABILITY, 'alerts.yml'), path.join(folder, 'alerts.yml'))
  const settings = { 'config.file': 'prometheus.yml', 'storage.tsdb.path': 'data', 'web.listen-address': `127.0.0.1:${port}` }
  const args = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const child = spawn(PROMETHEUS as string, args, { cwd: folder, stdio: 'ignore' })
  const isReady = (): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
    await sleep(100)
  }
  return child
}
