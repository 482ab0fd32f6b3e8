/**
 * npm start. Installs what is missing, builds what changed, runs the server and stays with it.
 * Invariant: when this program ends, the server and its database have ended; unless the server was
 * killed by force, which is said, and then the next start finds the database again.
 */
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, ROOT, run, say, stopOnSignals } from './processes.mjs'
import { SERVER_FLAGS, SERVER_MEMORY } from './server-program.mjs'
import { buildWeb } from './web.mjs'

stopOnSignals(async () => {
  say('Stopping…')
  await allEnded()
  process.exit(0)
})

try {
  await install()
  if (!isStopping()) {
    const node = findNode()
    const web = process.env.WEB_DIR || (await buildWeb(node))
    if (!isStopping()) await serve(node, web)
  }
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}

async function serve(node, web) {
  const env = {
    ...SERVER_MEMORY,
    ...process.env,
    WEB_DIR: path.resolve(web),
    NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache'),
    // The server ends by itself when this process is gone.
    ROZ_LAUNCHER: String(process.pid),
    // So that it can say how long the person at the terminal has waited.
    ROZ_LAUNCHED_AT_MS: String(performance.timeOrigin),
    ...(process.env.DATA_DIR ? { DATA_DIR: path.resolve(process.env.DATA_DIR) } : {}),
  }
  const { code, signal } = await run(node, [...SERVER_FLAGS, 'server/src/main.ts'], { env })
  if (isStopping()) return
  if (signal !== null) {
    say(
      `The server was ended from outside (${signal}). Nothing it had confirmed is lost: start again with npm start, the database recovers by itself.`,
    )
  } else if (code !== 0) {
    say('The server has ended; the lines above say why.')
  }
  process.exit(signal === null ? code : 1)
}
