/**
 * The log: JSON lines with request ids and without personal data. Invariants: no address with its
 * query (tokens travel there), no body, no header; of an error its name, words, code and stack, never
 * the row that a constraint refused; a line is written within milliseconds, a warning at once.
 */
import { type DestinationStream, type Logger, pino } from 'pino'

type Written = { name?: string; message?: string; code?: string; stack?: string; constraint?: string; cause?: unknown }

function writtenError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { name, message, code, stack, constraint, cause } = error as Written
  return { name, message, code, constraint, stack, ...(cause === undefined ? {} : { cause: writtenError(cause) }) }
}

const GATHER_MS = 20
const WARNING = 40

/**
 * Lines are gathered: a hundred answers that leave together are not a hundred calls of the system. An
 * exit, a stop or a fault that nobody caught, writes what is left; only a kill takes what is milliseconds old.
 */
function gatheredOutput(): DestinationStream {
  const out = pino.destination(1)
  let lines = ''
  const flushSync = (): void => {
    const text = lines
    lines = ''
    if (text !== '') out.write(text)
  }
  process.once('exit', flushSync)
  const stream = {
    [pino.symbols.needsMetadataGsym]: true as const,
    /** Of the line that is written next. */
    lastLevel: 0,
    write: (line: string): void => {
      if (lines === '') setTimeout(flushSync, GATHER_MS).unref()
      lines += line
      if (stream.lastLevel >= WARNING) flushSync()
    },
  }
  return stream
}

let written = { ms: 0, text: '' }
/** As pino's own `isoTime` writes it; lines of one millisecond share one text. */
function timestamp(): string {
  const ms = Date.now()
  if (written.ms !== ms) written = { ms, text: `,"time":"${new Date(ms).toISOString()}"` }
  return written.text
}

let shared: DestinationStream | undefined
/** All logs of a process gather in one place, and one listener waits for its exit. */
const standardOutput = (): DestinationStream => (shared ??= gatheredOutput())

/** `to`: where the lines go; standard output without it. */
export const createLog = (options: {
  readonly level: string
  readonly worker: number | undefined
  readonly to?: DestinationStream
}): Logger =>
  pino(
    {
      level: options.level,
      base: options.worker === undefined ? {} : { worker: options.worker },
      timestamp,
      serializers: { err: writtenError, req: () => undefined, res: () => undefined },
    },
    options.to ?? standardOutput(),
  )
