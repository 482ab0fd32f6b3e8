/**
 * The program: serves, or runs one command of an operator.
 * - Only this file reads the environment.
 * - A start that fails ends with one message in plain words.
 */
import { roz } from './commands/roz.ts'
import { ConfigError, readConfig } from './config/config.ts'
import { withFiles } from './config/environment.ts'
import { createLog } from './operation/logger.ts'
import { EmbeddedPostgresError } from './db/embedded/error.ts'
import { StartError } from './start-error.ts'
import { startServer, type Running } from './start.ts'

/** Ends the program with the complaints about the settings; the code of a command that could not run is 2. */
function orExit<T>(read: () => T, code = 1): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(code)
  }
}

const tell = (line: string): void => void process.stdout.write(`${line}\n`)
const words = process.argv.slice(2)
const isHelp = words.some((word) => ['--help', '-h', 'help', '--page'].includes(word))
const env = isHelp ? {} : orExit(() => withFiles(process.env, process.cwd()), ['', 'serve'].includes(words.join(' ')) ? 1 : 2)
const code = await roz({ env, words, say: tell, input: process.stdin })
if (code !== undefined) process.exit(code)

const config = orExit(() => readConfig(env))
const log = createLog({ level: config.logLevel })
/** A stop that hangs ends the process after this time. */
const SHUTDOWN_MS = 8000

let running: Running | undefined
let stopping = false

/** Stops once, however many signals arrive. */
async function stop(code: number): Promise<void> {
  if (stopping) return
  stopping = true
  setTimeout(() => process.exit(code === 0 ? 1 : code), SHUTDOWN_MS).unref()
  try {
    await running?.stop()
  } catch (error) {
    log.error({ err: error }, 'stopping failed')
    process.exit(1)
  }
  process.exit(code)
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => void stop(0))
/** Stops when the launcher of `npm start` has died for any reason: nothing else would stop this process. */
const launcher = Number(process.env.ROZ_LAUNCHER ?? 0)
const begunAtMs = Number(process.env.ROZ_LAUNCHED_AT_MS ?? performance.timeOrigin)
if (launcher > 0) setInterval(() => process.ppid === launcher || void stop(0), 500).unref()
process.on('unhandledRejection', (error) => {
  log.fatal({ err: error }, 'unhandled rejection of a promise')
  void stop(1)
})

try {
  running = await startServer(config, { log, say: tell, begunAtMs })
  if (stopping) await running.stop()
} catch (error) {
  if (error instanceof StartError || error instanceof EmbeddedPostgresError) process.stderr.write(`${error.message}\n`)
  else log.fatal({ err: error }, 'Roz could not start')
  process.exit(1)
}
