/**
 * The log: JSON lines with request ids and without personal data. Invariants: no address with its
 * query (tokens travel there), no body, no header; of an error its name, words, code and stack, never
 * the row that a constraint refused.
 */
import { type DestinationStream, type Logger, pino } from 'pino'

type Written = { name?: string; message?: string; code?: string; stack?: string; constraint?: string; cause?: unknown }

function writtenError(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { name, message, code, stack, constraint, cause } = error as Written
  return { name, message, code, constraint, stack, ...(cause === undefined ? {} : { cause: writtenError(cause) }) }
}

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
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: writtenError, req: () => undefined, res: () => undefined },
    },
    options.to ?? pino.destination(1),
  )
