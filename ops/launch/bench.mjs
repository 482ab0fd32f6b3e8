/**
 * npm run bench: the packages of the peer beside ours, then every measurement (bench/run.ts) on Node 26.
 * npm run bench:web: Lighthouse beside ours, then what it says of the pages (bench/web.ts).
 */
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
await install()
// Kept apart from the product's: nobody who only runs Roz installs them.
const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']
const beside = await run('npm', npm, { cwd: path.join(ROOT, 'bench', isWeb ? 'web' : 'peer'), quiet: true })
if (beside.code !== 0) {
  process.stderr.write(`${beside.output}\n`)
  process.exit(1)
}
const node = findNode()
const env = isWeb ? { ...process.env, CHROMIUM: await ensureChromium(), WEB_DIR: await buildWeb(node) } : process.env
const { code } = await run(node, [isWeb ? 'bench/web.ts' : 'bench/run.ts', ...process.argv.slice(isWeb ? 3 : 2)], { env })
process.exit(code ?? 1)
