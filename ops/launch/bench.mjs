/** npm run bench: the packages of the peer beside ours, then every measurement (bench/run.ts) on Node 26. */
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, ROOT, run, stopOnSignals } from './processes.mjs'

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})
await install()
// Kept apart from the product's: nobody who only runs Roz installs them.
const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
const peer = await run('npm', npm, { cwd: path.join(ROOT, 'bench', 'peer'), quiet: true })
if (peer.code !== 0) {
  process.stderr.write(`${peer.output}\n`)
  process.exit(1)
}
const { code } = await run(findNode(), ['bench/run.ts', ...process.argv.slice(2)])
process.exit(code ?? 1)
