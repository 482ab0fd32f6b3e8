/** npm run faults: strikes a running server and its database again and again (e2e/faults/main.ts says how it is bounded). */
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, ROOT, run, say, stopOnSignals } from './processes.mjs'
import { buildWeb } from './web.mjs'

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})

try {
  await install()
  const node = findNode()
  const web = process.env.WEB_DIR || (await buildWeb(node))
  if (!isStopping()) {
    const env = { ...process.env, WEB_DIR: path.resolve(web), NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache') }
    const { code } = await run(node, ['e2e/faults/main.ts', ...process.argv.slice(2)], { env })
    process.exit(code ?? 1)
  }
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  say(error.message)
  process.exit(1)
}
