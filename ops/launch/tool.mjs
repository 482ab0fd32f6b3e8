/**
 * `npm run <tool>`: installs what is missing, with --web also builds the pages, and runs a TypeScript program of ours on the pinned Node.
 * - The program gets every further argument, and standard input.
 */
import path from 'node:path'
import { install } from './install.mjs'
import { findNode } from './node26.mjs'
import { allEnded, isStopping, LaunchError, note, ROOT, run, stopOnSignals } from './processes.mjs'
import { buildWeb } from './web.mjs'

/** The exit code if the tool could not be run. */
const NOT_RUN = 2

const servesPages = process.argv[2] === '--web'
const [program, ...args] = process.argv.slice(servesPages ? 3 : 2)

stopOnSignals(async () => {
  await allEnded()
  process.exit(130)
})

/** A relative path refers to the folder where the command was typed, while programs run in the checkout. */
const resolved = (name) => (process.env[name] ? { [name]: path.resolve(process.env[name]) } : {})

try {
  await install()
  const node = findNode()
  const web = servesPages ? { WEB_DIR: process.env.WEB_DIR || (await buildWeb(node)) } : {}
  if (!isStopping()) {
    const cache = { NODE_COMPILE_CACHE: path.join(ROOT, '.build', 'compile-cache') }
    const { code } = await run(node, [program, ...args], {
      env: { ...process.env, ...web, ...resolved('DATA_DIR'), ...cache },
      stdio: 'inherit',
    })
    process.exit(code ?? NOT_RUN)
  }
} catch (error) {
  if (!(error instanceof LaunchError)) throw error
  note(error.message)
  process.exit(NOT_RUN)
}
