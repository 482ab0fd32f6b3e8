/** Runs roz-verify as users do: one file, on the machine's own Node, over a folder or an address. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writeProgram } from '../build.ts'
import { canonicalBytes } from '../src/canonical.ts'
import { orderOf } from '../src/draw.ts'
import { readVerifierKey, type Signer, verifierKeyOf } from '../src/note.ts'
import { readState } from '../src/state.ts'
import { openState } from '../src/state-file.ts'
import { site, siteFiles } from './kit.ts'
import { LiveSite } from './live-site.ts'
import { closeRecord, DAY, LOG, openRecord, ticketsOf, WITNESSES } from './site-maker.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-verify-'))
const copy = path.join(folder, 'copy')
const program = path.join(folder, 'roz-verify.mjs')

beforeAll(async () => {
  await writeProgram(folder)
  for (const [name, bytes] of siteFiles) {
    const file = path.join(copy, /^(draws|books)\/[^/]+$/.test(name) ? `${name}.json` : name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, bytes)
  }
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Program starts are slow on a busy machine. */
const PATIENT = { timeout: 180_000 }

type Ran = { readonly code: number; readonly out: string; readonly err: string }
const run = (...args: readonly string[]): Promise<Ran> =>
  new Promise((resolve) => {
    // The Node in PATH, not the tests' own: it may be Node 20.
    const child = execFile('node', [program, ...args], (error, out, err) =>
      resolve({ code: child.exitCode ?? (error === null ? 0 : -1), out, err }),
    )
  })

test('a check of each day of a folder exits with the code of its verdict and prints each step', PATIENT, async () => {
  for (const { day, exit } of site.days) {
    const { code, out } = await run(copy, day, '--key', site.keys.first)
    expect([day, code]).toEqual([day, exit])
    expect(out).toMatch(/\n\nTechnical details\n[✓✗△?–] files .*\n[✓✗△?–] log-signature /)
    expect(out.startsWith(`${{ 0: 'PASS', 2: 'FAIL', 3: 'WEAK', 4: 'INCOMPLETE' }[exit]}  ${day}: `)).toBe(true)
  }
})

test('a changed file fails, and a wrong call exits with 1', PATIENT, async () => {
  const [file, day] = [path.join(copy, 'draws/2026-07-23/tickets'), '2026-07-23']
  const bytes = readFileSync(file)
  writeFileSync(file, Buffer.from(bytes.map((value, at) => (at === 40 ? value ^ 1 : value))))
  const { code, out } = await run(copy, day, '--json')
  writeFileSync(file, bytes)
  expect([code, (JSON.parse(out) as { verdict: string }).verdict]).toEqual([2, 'FAIL'])
  const [signer] = WITNESSES
  const witnessKey = verifierKeyOf(signer as Signer)
  for (const args of [
    [],
    [copy],
    [copy, 'yesterday'],
    [copy, day, '--key', 'x'],
    [copy, day, '--key', witnessKey],
    [copy, day, '--witness', site.keys.first],
    ['http://', day],
    [copy, day, '--what'],
    [copy, day, '--receipt', file],
    [copy, day, '--kept', file],
    [copy, day, '--kept', path.join(copy, 'log/checkpoint'), '--state', path.join(folder, 'both')],
    [copy, day, '--drand', 'x'],
    [copy, day, '--order', '3f9a'],
    [copy, day, '--order', '3F9A,3F9A'],
    ['watch', copy],
  ]) {
    const { code, err } = await run(...args)
    expect([args, code, err.includes('    at ')]).toEqual([args, 1, false])
  }
  expect((await run('--help')).code).toBe(0)
})

test('an order of requests for help that the seed does not give fails', PATIENT, async () => {
  const day = '2026-07-23'
  const result = (JSON.parse(site.text[`draws/${day}`] ?? '') as { records: { record: { seed?: string } }[] }).records[2]
  const order = orderOf(result?.record.seed ?? '', ['3F9A', '7K2M', '0001'])
  const sound = await run(copy, day, '--order', order.join(','))
  const forged = await run(copy, day, '--order', order.toReversed().join(','))
  expect([sound.out, sound.code]).toEqual([expect.stringContaining('✓ order-of-help'), 0])
  expect([forged.out, forged.code]).toEqual([expect.stringMatching(/^FAIL .*✗ order-of-help/s), 2])
})

test('a receipt is checked against the list', PATIENT, async () => {
  for (const [index, { receipt, verdict }] of site.receipts.entries()) {
    const file = path.join(folder, `receipt-${index}.json`)
    writeFileSync(file, canonicalBytes(receipt))
    const { out } = await run(copy, receipt.day, '--receipt', file)
    expect(out).toContain(`${verdict === 'PASS' ? '✓' : '✗'} receipt`)
  }
})

test('the state file keeps the checkpoint, and a log that shrank is reported', PATIENT, async () => {
  const state = path.join(folder, 'seen')
  expect((await run(copy, '2026-07-23', '--state', state)).code).toBe(0)
  const kept = readState(readFileSync(state))
  expect(kept.logKey).toBe(site.keys.inForce)
  const again = await run(copy, '2026-07-23', '--state', state)
  expect([again.code, again.out]).toEqual([0, expect.stringContaining(`begin with the ${kept.checkpoint.size} that you saw before`)])
  const compared = await run(copy, '2026-07-23', '--key', kept.logKey, '--kept', path.join(copy, 'log/checkpoint'))
  expect([compared.code, compared.out]).toEqual([0, again.out])
  // The state cannot be saved there: the verdict is printed anyway, and a failure keeps its exit code.
  const nowhere = await run(copy, '2026-07-23', '--state', path.join(folder, 'no-such-folder', 'seen'))
  expect([nowhere.code, nowhere.out]).toEqual([1, expect.stringContaining('PASS')])
  expect(nowhere.err).toMatch(/^the state file could not be saved: [^\n]*\n$/)
})

/** The site's days are long past, so the alarm for late records is off (`--late 0`). */
const AS_THEN = ['--key', verifierKeyOf(LOG), '--late', '0']

test('watch: a witness makes its key, cosigns over HTTP and exits with 2 when the log forks', PATIENT, async () => {
  const live = new LiveSite()
  const base = await live.listen()
  const [keyFile, state] = [path.join(folder, 'witness.key'), path.join(folder, 'watched')]
  const made = await run('keygen', 'witness-a.example', keyFile)
  expect(readVerifierKey(made.out.trim())).toMatchObject({ name: 'witness-a.example', algorithm: 4 })
  expect((await run('keygen', 'witness-a.example', keyFile)).code).not.toBe(0)
  const plan = { day: DAY, tickets: ticketsOf(3, DAY) }
  const open = openRecord(plan)
  live.append(open, closeRecord(plan, open))
  const watch = (): Promise<Ran> => run('watch', base, ...AS_THEN, '--state', state, '--witness-key', keyFile, '--once')
  const late = await run('watch', base, '--key', verifierKeyOf(LOG), '--state', path.join(folder, 'late'), '--once')
  const unsaid = await run('watch', base, '--key', verifierKeyOf(LOG), '--state', path.join(folder, 'late'), '--late', '')
  expect([unsaid.code, unsaid.err]).toEqual([1, expect.stringContaining('--late takes a number of hours')])
  expect([late.code, late.err]).toEqual([2, expect.stringContaining(`ALARM late: the log has stopped: the books of ${DAY}`)])
  // No record names this key: the site refuses the cosignature, and the watcher continues as a monitor.
  const first = await watch()
  expect([first.code, first.out]).toEqual([0, expect.stringContaining('refuses the cosignature of 2 records (422)')])
  live.records[1] = { ...(live.records[1] as object), count: 4 }
  live.publish()
  const elsewhere = verifierKeyOf({ ...LOG, name: 'another.example/log' })
  const mistaken = await run('watch', base, '--key', elsewhere, '--state', state, '--once')
  expect([mistaken.code, mistaken.err]).toEqual([1, expect.stringContaining(`--key is of another.example/log`)])
  const second = await watch()
  await live.close()
  expect([second.code, second.err]).toEqual([2, expect.stringContaining('ALARM fork')])
  expect(readdirSync(folder).filter((name) => name.startsWith('watched.alarm-'))).toHaveLength(1)
})

test('an alarm that cannot be written to a file is still printed and posted; two watchers cannot share a state', PATIENT, async () => {
  const live = new LiveSite()
  const base = await live.listen()
  const posted: string[] = []
  const hook = createServer((request, response) => {
    request.on('data', (chunk: Uint8Array) => posted.push(new TextDecoder().decode(chunk)))
    request.on('end', () => response.writeHead(request.method === 'POST' ? 204 : 404).end())
  })
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
  const webhook = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`
  const plan = { day: DAY, tickets: ticketsOf(3, DAY) }
  const open = openRecord(plan)
  live.append(open, closeRecord(plan, open))
  // The name is so long that the alarm file's name exceeds the limit.
  const state = path.join(folder, 's'.repeat(250))
  const watch = (): Promise<Ran> => run('watch', base, ...AS_THEN, '--state', state, '--webhook', webhook, '--once')
  expect((await watch()).code).toBe(0)
  const mine = await openState(state)
  const second = await watch()
  expect([second.code, second.err]).toEqual([1, expect.stringContaining('is in use by process')])
  const nowhere = path.join(folder, 'nowhere')
  expect((await run('watch', webhook, '--key', verifierKeyOf(LOG), '--state', nowhere, '--once')).code).toBe(4)
  await mine.close()
  live.records[1] = { ...(live.records[1] as object), count: 4 }
  live.publish()
  const forked = await watch()
  await live.close()
  await new Promise((resolve) => hook.close(resolve))
  expect([forked.code, forked.out]).toEqual([2, expect.stringContaining('could not be written down')])
  expect(posted.join()).toContain('"kind":"fork"')
})

test('the same sources give the same bytes in another folder, and README names their hash', PATIENT, async () => {
  const build = path.join(import.meta.dirname, '../build.ts')
  const elsewhere = path.join(folder, 'elsewhere')
  await new Promise((resolve) => execFile(process.execPath, [build, elsewhere], { cwd: os.tmpdir() }, resolve))
  const [bytes, again] = [readFileSync(program, 'utf8'), readFileSync(path.join(elsewhere, 'roz-verify.mjs'), 'utf8')]
  expect(again).toBe(bytes)
  const [hash = ''] = readFileSync(`${program}.sha256`, 'utf8').split(' ')
  const readme = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8')
  expect(readme, `write ${hash} into verifier/README.md`).toContain(`\`${hash}\``)
})

test('modules for the browser import nothing of Node', () => {
  const sources = path.join(import.meta.dirname, '../src')
  const ofNode = readdirSync(sources).filter((name) => /from 'node:/.test(readFileSync(path.join(sources, name), 'utf8')))
  expect(ofNode.sort()).toEqual(['cli.ts', 'folder.ts', 'state-file.ts'])
})
