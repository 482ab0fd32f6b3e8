/** The browser of the tests: the system's Chromium, installed by apt where that is possible without asking. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { run, say } from './processes.mjs'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
/** The fonts hold Devanagari: without them the Hindi pages are measured in empty boxes. */
const PACKAGES = ['chromium', 'fonts-noto-core']

/** Returns the browser's path, or undefined after saying what to do. */
export async function ensureChromium() {
  const found = findChromium()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && findProgram('apt-get') !== undefined) {
    say('Installing Chromium with apt…')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('apt-get', ['update', '-qq'], { env, quiet: true })
    const { output } = await run('apt-get', ['install', '-y', '--no-install-recommends', ...PACKAGES], { env, quiet: true })
    const installed = findChromium()
    if (installed !== undefined) return installed
    say(output.trim().split('\n').slice(-5).join('\n'))
  }
  say(`No Chromium on this machine, so the browser's tests will fail. To install it: sudo apt-get install ${PACKAGES.join(' ')}`)
  return undefined
}

const findChromium = () => NAMES.map(findProgram).find((file) => file !== undefined)

function findProgram(name) {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/bin', '/usr/sbin']
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file))
}
