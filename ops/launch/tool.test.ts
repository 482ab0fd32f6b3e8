/** `npm run <tool>` and `npx roz`: what the launcher passes on to the program, and what it writes itself. */
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from './launched.ts'
import { placesOfNode } from './node26.mjs'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'roz-tool-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a tool gets standard input and every argument', async () => {
  const program = path.join(folder, 'echo.mjs')
  writeFileSync(program, `console.log(process.argv.slice(2).join(' ')); process.stdin.pipe(process.stdout)`)
  const child = spawn(process.execPath, ['ops/launch/tool.mjs', program, '1002', 'put', 'beginning'], { cwd: ROOT })
  child.stdin.end('a secret\n')
  expect(await text(child.stdout)).toBe('1002 put beginning\na secret\n')
}, 60_000)

test('on a fresh clone, the installation and its failure go to standard error, and standard output is the program’s alone', () => {
  const clone = path.join(folder, 'clone')
  cpSync(path.join(ROOT, 'ops/launch'), path.join(clone, 'ops/launch'), { recursive: true })
  writeFileSync(path.join(clone, 'package-lock.json'), '{ "packages": {} }')
  mkdirSync(path.join(clone, 'server/src'), { recursive: true })
  writeFileSync(path.join(clone, 'server/src/main.ts'), `console.log(process.argv.slice(2).join(' '))`)
  const npm = path.join(folder, 'npm-cli.js')
  const roz = (does: string) => {
    writeFileSync(npm, does)
    const env = { PATH: process.env.PATH, npm_execpath: npm }
    const { status, stdout, stderr } = spawnSync(process.execPath, ['ops/launch/roz.mjs', 'books', 'list'], { cwd: clone, env })
    return { status, out: String(stdout), err: String(stderr) }
  }
  const failed = roz(`console.log('npm says no'); process.exitCode = 7`)
  expect(failed).toMatchObject({ status: 2, out: '', err: expect.stringMatching(/Installing[^]*npm says no[^]*npm ended with code 7/) })
  const installs = `const fs = require('node:fs'); fs.mkdirSync('node_modules')
    fs.writeFileSync('node_modules/.package-lock.json', '{ "packages": {} }'); console.log('added 0 packages')`
  expect(roz(installs)).toMatchObject({ status: 0, out: 'books list\n', err: expect.stringMatching(/Installing[^]*added 0 packages/) })
}, 60_000)

test('where no package manager of ours has Chromium, Playwright’s installer’s copy in the user’s cache is used', () => {
  const cache = path.join(folder, 'browsers')
  const env = { PATH: process.env.PATH, HOME: folder, PLAYWRIGHT_BROWSERS_PATH: cache }
  const node = (code: string): string => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, env, encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout.trim()
  }
  const wanted = node(`import { chromium } from 'playwright-core'; console.log(chromium.executablePath())`)
  expect(wanted.startsWith(cache)).toBe(true)
  // What `playwright-core install chromium` leaves there.
  mkdirSync(path.dirname(wanted), { recursive: true })
  writeFileSync(wanted, '')
  expect(node(`console.log(await (await import('./ops/launch/programs.mjs')).playwrightsChromium())`)).toBe(wanted)
}, 60_000)

test('the pinned Node is found on every machine for which the lockfile has it', () => {
  type Locked = { readonly os?: readonly string[]; readonly cpu?: readonly string[]; readonly bin?: { readonly node?: string } }
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> }
  const locked = Object.entries(packages).filter(([place, { bin }]) => place.startsWith('node_modules/node-') && bin?.node !== undefined)
  const wanted = ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64']
  expect(locked.map(([, { os, cpu }]) => `${String(os)} ${String(cpu)}`).sort()).toEqual(wanted)
  for (const [place, { os, cpu, bin }] of locked)
    expect(placesOfNode(String(os), String(cpu)).map((file) => `node_modules/${file}`)).toContain(`${place}/${bin?.node}`)
  const here = placesOfNode(process.platform, process.arch).map((file) => path.join(ROOT, 'node_modules', file))
  expect(here.some((file) => existsSync(file))).toBe(true)
})
