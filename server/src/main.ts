/**
 * The program: serves, or runs one command of an operator.
 * - Only this file reads the environment.
 * - A start that fails ends with one message in plain words.
 */
import { afterRestoreNow } from './commands/after-restore.ts'
import { archiveNow } from './commands/archive.ts'
import { auditNow } from './commands/audit.ts'
import { noteBackupNow } from './commands/backup-note.ts'
import { auditSettings, ConfigError, readConfig, type Config } from './config/config.ts'
import { heldBooksNow } from './commands/held-books.ts'
import { createLog } from './http/logger.ts'
import { EmbeddedPostgresError } from './db/embedded/error.ts'
import { parkedNow } from './commands/parked.ts'
import { resealNow } from './commands/reseal.ts'
import { resetTotpNow } from './commands/reset-totp.ts'
import { rotateLogKey } from './commands/rotate-log-key.ts'
import { rotatePushKey } from './commands/rotate-push-key.ts'
import { statusNow } from './commands/status.ts'
import { ticketKeyNow } from './commands/ticket-key.ts'
import { StartError } from './start-error.ts'
import { startServer, type Running } from './start.ts'

function configOrExit(): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  }
}

/** `npm run audit` reads the books and starts nothing. */
if (process.argv[2] === 'audit')
  process.exit(await auditNow({ ...auditSettings(process.env), say: (line) => void process.stdout.write(`${line}\n`) }))

/** `npm run books` shows days whose books are held. */
if (process.argv[2] === 'books') {
  const say = (line: string): void => void process.stdout.write(`${line}\n`)
  process.exit(await heldBooksNow({ ...auditSettings(process.env), say, words: process.argv.slice(3) }))
}

/** `npm run parked` lists due work that failed again and again. */
if (process.argv[2] === 'parked') {
  const target = { ...auditSettings(process.env), say: (line: string) => void process.stdout.write(`${line}\n`) }
  process.exit(await parkedNow(target, process.argv.slice(3).join(' ')))
}

/** `npm run reset-totp` removes a staff account's authenticator app. */
if (process.argv[2] === 'reset-totp') {
  const target = { ...auditSettings(process.env), say: (line: string) => void process.stdout.write(`${line}\n`) }
  process.exit(await resetTotpNow(target, process.argv.slice(3).join(' ')))
}

/** `npm run backup-note` notes another program's backup, and `npm run after-restore` completes a restored database. */
const tell = (line: string): void => void process.stdout.write(`${line}\n`)
if (process.argv[2] === 'backup-note') process.exit(await noteBackupNow(process.env, process.argv.slice(3), tell))
if (process.argv[2] === 'after-restore')
  process.exit(await afterRestoreNow({ ...auditSettings(process.env), say: tell }, process.argv.slice(3)))

/** `npm run archive` moves old months of entries into files, and back. */
if (process.argv[2] === 'archive') process.exit(await archiveNow(process.env, process.argv.slice(3), tell))

/** `npm run status` says what waits. */
if (process.argv[2] === 'status') process.exit(await statusNow(process.env, tell))

/** The commands that need the secret key. */
const renew = { 'ticket-key': ticketKeyNow, 'rotate-log-key': rotateLogKey, 'rotate-push-key': rotatePushKey, reseal: resealNow }[
  process.argv[2] ?? ''
]
if (renew !== undefined) {
  const { SECRET_KEY: secretKey, SECRET_KEY_OLD: secretKeyOld } = process.env
  const target = { ...auditSettings(process.env), secretKey, secretKeyOld, say: (line: string) => void process.stdout.write(`${line}\n`) }
  process.exit(await renew({ ...target, words: process.argv.slice(3), input: process.stdin }))
}

const config = configOrExit()
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
