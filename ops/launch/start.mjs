/**
 * `npm start`: installs what is missing, builds what changed, runs the server and waits for its end.
 * - When this program ends, the server and its database have ended.
 * - The exception is a killed server: the launcher says so, and the next start takes over the database.
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
    // The server stops when this process no longer exists.
    ROZ_LAUNCHER: String(process.pid),
    // Lets the server print the time since the user typed the command.
    ROZ_LAUNCHED_AT_MS: String(performance.timeOrigin),
    ...(process.env.DATA_DIR ? { DATA_DIR: path.resolve(process.env.DATA_DIR) } : {}),
  }
  const { code, signal } = await run(node, [...SERVER_FLAGS, 'server/src/main.ts'], { env })
  if (isStopping()) return
  if (signal !== null) {
    say(
      `Something outside Roz stopped the server (${signal}). Nothing that it has confirmed is lost. Run npm start again: the database recovers by itself.`,
    )
  } else if (code !== 0) {
    say('The server has stopped. The lines above say why.')
  }
  process.exit(signal === null ? code : 1)
}
