/** Finds the programs that the tests need. It installs missing ones with apt as root on Debian; elsewhere Chromium by Playwright's installer. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, run, say } from './processes.mjs'

/** The fonts include Devanagari. Without it the Hindi pages would be measured with empty boxes. */
const CHROMIUM = {
  label: 'Chromium',
  names: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
  packages: ['chromium', 'fonts-noto-core'],
  without: "the browser's tests will fail",
}
/** The same engine without the browser around it: a test of screens is a third less work. A Chromium of before may lack the fonts. */
const SHELL = {
  label: 'headless Chromium',
  names: ['chromium-headless-shell', 'chrome-headless-shell'],
  packages: ['chromium-headless-shell', 'fonts-noto-core'],
  without: 'the whole Chromium runs every screen test, which takes longer',
}
/** Runs spec/verify.py, the second verifier of the draw, and the generator of the protocol's vectors. */
const PYTHON = { label: 'Python', names: ['python3'], packages: ['python3'], without: 'the tests of spec/ will fail' }

export const ensureChromium = () => ensure({ ...CHROMIUM, otherwise: playwrightsChromium })
export const ensureShell = () => ensure(SHELL)
export const ensurePython = () => ensure(PYTHON)

/** The browser that playwright-core expects, in the user's own cache: for macOS, Windows and users without apt. */
export async function playwrightsChromium() {
  const { chromium } = await import(pathToFileURL(path.join(ROOT, 'node_modules/playwright-core/index.mjs')).href)
  const file = chromium.executablePath()
  if (existsSync(file)) return file
  say("Installing Chromium with Playwright's installer…")
  const installer = path.join(ROOT, 'node_modules/playwright-core/cli.js')
  const { output } = await run(process.execPath, [installer, 'install', 'chromium', '--no-shell'], { quiet: true })
  if (existsSync(file)) return file
  say(output.trim().split('\n').slice(-3).join('\n'))
  return undefined
}

/** apt's package lists, updated once per run. */
let lists

/** Returns the program's path. If there is none, it prints how to install it and returns undefined. */
async function ensure({ label, names, packages, without, otherwise }) {
  const find = () => names.map(findProgram).find((file) => file !== undefined)
  const found = find()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && findProgram('apt-get') !== undefined) {
    say(`Installing ${label} with apt…`)
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await (lists ??= run('apt-get', ['update', '-qq'], { env, quiet: true }))
    const { output } = await run('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, quiet: true })
    const installed = find()
    if (installed !== undefined) return installed
    say(output.trim().split('\n').slice(-5).join('\n'))
  }
  const other = await otherwise?.()
  const how = process.platform === 'linux' ? ` On Debian: sudo apt-get install ${packages.join(' ')}` : ''
  if (other === undefined) say(`No ${label} on this machine, so ${without}.${how}`)
  return other
}

function findProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/sbin']
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}
