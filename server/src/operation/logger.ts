/**
 * The log: JSON lines with request ids.
 * - A line carries no personal data: no query of an address (it may contain a token), no body, no header.
 * - Of an error the log has name, message, code, constraint, stack and cause, never the row that a constraint refused.
 * - Lines are written within 20 ms, warnings and errors at once.
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
 * Buffers lines for 20 ms: a hundred answers in one moment cost one system call.
 * An exit, a stop or an uncaught fault writes the buffer; only SIGKILL loses its 20 ms.
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
    /** pino sets the level of the next line here. */
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
/** Formats the time like pino's `isoTime`; lines of the same millisecond share the text. */
function timestamp(): string {
  const ms = Date.now()
  if (written.ms !== ms) written = { ms, text: `,"time":"${new Date(ms).toISOString()}"` }
  return written.text
}

let shared: DestinationStream | undefined
/** One buffer and one exit listener for all loggers of the process. */
const standardOutput = (): DestinationStream => (shared ??= gatheredOutput())

/** Makes a logger; lines go to `to`, by default to standard output. */
export const createLog = (options: { readonly level: string; readonly to?: DestinationStream }): Logger =>
  pino(
    {
      level: options.level,
      base: {},
      timestamp,
      serializers: { err: writtenError, req: () => undefined, res: () => undefined },
    },
    options.to ?? standardOutput(),
  )
