/**
 * `npm run dev`: the screens from their sources, with hot reload, in front of a Roz that starts again when the server's sources change.
 * - web/dev.ts answers on PORT. Roz is behind it on PORT + 2, and its links name PORT.
 * - The public pages are built: at the start if a source has changed, and again when one of theirs changes.
 * - A text without Hindi is shown in English and listed here. `npm start`, `npm test` and `npm run package` refuse it.
 */
import { cpSync, existsSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs'
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, note, refuseForeign, ROOT, run, say, stopOnSignals } from './processes.mjs'
import { SERVER_FLAGS, SERVER_MEMORY } from './server-program.mjs'
import { BUILDS, hashOfSources } from './web.mjs'

const WEB = path.join(ROOT, '.build', 'web-dev')
const NEXT = `${WEB}-next`
/** The hash of the sources of WEB. */
const STAMP = `${WEB}.stamp`
const DRAFTS = ['--import', path.join(ROOT, 'ops/launch/drafts.ts')]
const OF_SERVER = ['server/src', 'server/migrations', 'core/src', 'contract/src']
const OF_PAGES = 'web/src/public'
/** An editor writes a file in several steps. */
const SETTLE_MS = 200

stopOnSignals(async () => {
  say('Stopping…')
  await allEnded()
  process.exit(0)
})

try {
  await install()
  const node = findNode()
  refuseForeign()
  const built = await buildPages(node)
  if (built !== undefined) throw new LaunchError(built)
  if (!isStopping()) await serve(node)
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  note(error.message)
  process.exit(1)
}

/** Returns the report of a build that failed. */
async function buildPages(node) {
  const hash = hashOfSources()
  if (existsSync(WEB) && existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hash) return undefined
  rmSync(NEXT, { recursive: true, force: true })
  // `npm start` has built the same sources, and found every text's words.
  if (existsSync(path.join(BUILDS, hash))) cpSync(path.join(BUILDS, hash), NEXT, { recursive: true })
  else {
    say('Building the public pages…')
    const env = { ...process.env, NODE_ENV: 'production' }
    const { code, output } = await run(node, [...DRAFTS, 'web/build.ts', '--draft', '--out', NEXT], { quiet: true, env })
    if (isStopping()) return undefined
    if (code !== 0) return `The public pages could not be built:\n${output.trim()}`
    for (const line of output.split('\n')) if (/^\d+ texts have no words yet|^ {2}\w+: |^No words yet/.test(line)) say(line)
  }
  rmSync(WEB, { recursive: true, force: true })
  renameSync(NEXT, WEB)
  writeFileSync(STAMP, hash)
  return undefined
}

async function serve(node) {
  const port = Number(process.env.PORT || 8080)
  const behind = { ...process.env, NODE_ENV: 'development', PORT: String(port), ROZ_URL: `http://127.0.0.1:${port + 2}` }
  const screens = run(node, [...DRAFTS, 'web/dev.ts'], { env: { ...behind, ROZ_LAUNCHER: String(process.pid) } })
  void serverOnChange(node, {
    ...SERVER_MEMORY,
    ...process.env,
    ROZ_LAUNCHER: String(process.pid),
    WEB_DIR: WEB,
    NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache'),
    PORT: String(port + 2),
    SANDBOX_PORT: process.env.SANDBOX_PORT || String(port + 1),
    PUBLIC_URL: process.env.PUBLIC_URL || `http://localhost:${port}`,
    ...(process.env.DATA_DIR ? { DATA_DIR: path.resolve(process.env.DATA_DIR) } : {}),
  })
  const { code } = await screens
  if (isStopping()) return
  say('The screens have stopped. The lines above say why.')
  process.exit(code || 1)
}

/** Runs the server, and starts it again after each change. A server that has ended by itself waits for the next one. */
async function serverOnChange(node, env) {
  let tellChange = () => undefined
  let child
  const again = (says, prepare) => async () => {
    say(says)
    const failure = await prepare?.()
    if (failure !== undefined) return say(failure)
    child?.kill('SIGTERM')
    tellChange()
  }
  const restart = again('The server starts again.')
  for (const folder of OF_SERVER) onChange(folder, restart)
  onChange(
    OF_PAGES,
    again('A public page has changed.', () => buildPages(node)),
  )
  while (!isStopping()) {
    const changed = new Promise((resolve) => (tellChange = resolve))
    const started = (one) => (child = one)
    const { code } = await run(node, [...SERVER_FLAGS, ...DRAFTS, 'server/src/main.ts'], { env, started })
    child = undefined
    if (isStopping()) return
    if (code !== 0) say('The server has stopped. The lines above say why. It starts again after the next change.')
    await changed
  }
}

/** One call for the several steps in which an editor writes a file; calls of one folder follow each other. */
function onChange(folder, act) {
  let timer
  let last = Promise.resolve()
  watch(path.join(ROOT, folder), { recursive: true }, (_event, name) => {
    if (/\.test\.tsx?$/.test(name ?? '')) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      last = last.then(act)
    }, SETTLE_MS)
  })
}
