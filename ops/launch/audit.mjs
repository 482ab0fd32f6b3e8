/** npm run audit: every invariant of money on the database of DATABASE_URL, or on the local one under DATA_DIR. Reads alone. */
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, LaunchError, ROOT, run, stopOnSignals } from './processes.mjs'

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})

try {
  await install()
  const env = { ...process.env, ...(process.env.DATA_DIR ? { DATA_DIR: path.resolve(process.env.DATA_DIR) } : {}) }
  const { code } = await run(findNode(), ['server/src/main.ts', 'audit'], { env })
  process.exit(code ?? 2)
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(2)
}
