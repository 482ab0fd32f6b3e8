/**
 * Unpacks Debian packages into .build/debian, for tests of files that other programs read.
 * - Nothing is installed and no service starts, so it works for every user and changes nothing outside the checkout.
 * - Without apt or a network it says so, and the tests that need the programs are skipped.
 */
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { ROOT, run, say } from './processes.mjs'

/** promtool checks the alerts; nginx and Caddy run the sample of each proxy. */
const PROGRAMS = { prometheus: 'usr/bin/promtool', 'nginx-common': 'etc/nginx/mime.types', nginx: 'usr/sbin/nginx', caddy: 'usr/bin/caddy' }

/** Returns the folder below which the programs are, or undefined. */
export async function unpackDebian() {
  const folder = path.join(ROOT, '.build', 'debian')
  const packages = path.join(folder, 'packages')
  const missing = Object.entries(PROGRAMS).filter(([, file]) => !existsSync(path.join(folder, file)))
  if (missing.length === 0) return folder
  say(`Unpacking ${missing.map(([name]) => name).join(', ')} for the tests of operation…`)
  try {
    mkdirSync(packages, { recursive: true })
    const names = missing.map(([name]) => name)
    const { code } = await run('apt-get', ['download', '-qq', ...names], { cwd: packages, quiet: true })
    if (code !== 0 && process.getuid?.() === 0) {
      await run('apt-get', ['update', '-qq'], { quiet: true })
      await run('apt-get', ['download', '-qq', ...names], { cwd: packages, quiet: true })
    }
    for (const file of readdirSync(packages)) await run('dpkg', ['-x', path.join(packages, file), folder], { quiet: true })
  } catch {
    // Not a Debian system.
  }
  const left = Object.entries(PROGRAMS).filter(([, file]) => !existsSync(path.join(folder, file)))
  if (left.length === 0) return folder
  say(`No ${left.map(([name]) => name).join(', ')} could be unpacked, so the tests that run them are skipped. They are Debian packages.`)
  return existsSync(folder) ? folder : undefined
}
