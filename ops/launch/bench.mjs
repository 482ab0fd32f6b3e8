/**
 * `npm run bench` installs the packages of the peer that we compare with, then runs every measurement (bench/run.ts) on Node 26.
 * `npm run bench -- --ten-million` measures the day of a community of ten million (bench/sizes.ts).
 * `npm run bench:web` installs Lighthouse, then measures the pages (bench/web.ts).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, ROOT, run, stopOnSignals } from './processes.mjs'
import { ensureChromium } from './programs.mjs'
import { buildWeb } from './web.mjs'

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})
const isWeb = process.argv[2] === '--web'
const isOfSizes = process.argv.includes('--ten-million') || process.argv.includes('--sizes')
const script = isWeb ? 'bench/web.ts' : isOfSizes ? 'bench/sizes.ts' : 'bench/run.ts'
await install()
await installBeside(path.join(ROOT, 'bench', isWeb ? 'web' : 'peer'))
const node = findNode()
const env = isWeb ? { ...process.env, CHROMIUM: await ensureChromium(), WEB_DIR: await buildWeb(node) } : process.env
const { code } = await run(node, [script, ...process.argv.slice(isWeb ? 3 : 2)], { env })
process.exit(code ?? 1)

/** Installs into a folder of its own, so that people who only run Roz do not install these packages. Runs once per lockfile. */
async function installBeside(cwd) {
  const lockfile = readFileSync(path.join(cwd, 'package-lock.json'), 'utf8')
  const stamp = path.join(cwd, 'node_modules', '.roz-installed')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile) return
  const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
  const { code, output } = await run('npm', npm, { cwd, quiet: true })
  if (code !== 0) {
    process.stderr.write(`${output}\n`)
    process.exit(1)
  }
  writeFileSync(stamp, lockfile)
}
