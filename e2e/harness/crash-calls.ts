/**
 * A server that is killed during calls, and a client that retries.
 * - A call that moves money is retried with its idempotency key.
 * - Before any other call is retried, the client looks up whether it took effect.
 */
import type { Api, CallName, Output } from '@roz/contract/api.ts'
import { dayAt, nextDay } from '@roz/core/ist-day.ts'
import type { Acknowledgement } from './ack-proxy.ts'
import { type Recorder, startRecorder } from './acknowledged.ts'
import { type Answered, ask, type Given } from './calls.ts'
import { readClock, setClock } from './people.ts'
import { newDataDir, startProgram } from './program.ts'

const KILL_WITHIN_MS = 50
const SPRUNG_WITHIN_MS = 30_000
/** Answers that say nothing about the call's outcome. */
const TRY_AGAIN = new Set([429, 502, 503])
const PATIENCE_MS = 60_000

/** Pseudo-random numbers below 1; the same seed gives the same numbers. */
export function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A random sample of that size, in the original order. */
export function drawnFrom<T>(all: readonly T[], count: number, next: () => number): T[] {
  const drawn = new Set<T>()
  while (drawn.size < count) drawn.add(all[Math.floor(next() * all.length)] as T)
  return all.filter((one) => drawn.has(one))
}

export type Frail = Awaited<ReturnType<typeof startFrail>>

/** Starts the program behind the recording proxy. */
export async function startFrail(seed: number) {
  const next = random(seed)
  let program = await startProgram({ dataDir: newDataDir(), isDurable: true })
  const recorder: Recorder = await startRecorder(program)
  let reviving: Promise<void> | undefined
  let oldSessions = 0

  async function startAgain(): Promise<void> {
    program = await startProgram({ dataDir: program.dataDir, port: program.port })
  }
  /** Restarts the killed program on its data. */
  function revive(): Promise<void> {
    reviving ??= startAgain().finally(() => {
      reviving = undefined
    })
    return reviving
  }
  const isDead = (): boolean => !isRunning(program.pid)

  return {
    url: recorder.url,
    recorder,
    get program() {
      return program
    },
    get sandboxUrl() {
      return program.sandboxUrl
    },
    dataDir: program.dataDir,
    revive,

    /** Acknowledged effects, which must still exist. */
    acknowledged: (): Acknowledgement[] =>
      recorder.read().filter((record, index) => index >= oldSessions || !record.path.startsWith('/api/admin/login')),

    /** Moves the clock to the next morning. An administrator's session rightly idles out in that time. */
    async passNight(): Promise<void> {
      const today = dayAt(Date.parse(await readClock(recorder.url)))
      await setClock(recorder.url, `${nextDay(today)}T10:00:00+05:30`)
      oldSessions = recorder.read().length
    },

    /** Acts while the program is killed 0–50 ms after the named request has left; the program runs again when this returns. */
    async killDuring(method: string, path: string, act: () => Promise<void>): Promise<void> {
      const afterMs = next() * KILL_WITHIN_MS
      const killed = program
      await recorder.arm({ method, path, pids: [killed.pid], afterMs })
      await act()
      await within(killed.ended, SPRUNG_WITHIN_MS, `no kill came after ${method} ${path}`)
      if (isDead()) await revive()
    },

    /** The same for a request that does not pass the proxy: to the gateway, which dies with the program. */
    async killBeside(act: () => Promise<unknown>, hasLeft: Promise<unknown> = Promise.resolve()): Promise<void> {
      const killed = program
      const afterMs = next() * KILL_WITHIN_MS
      const kill = hasLeft.then(() => void setTimeout(() => process.kill(killed.pid, 'SIGKILL'), afterMs))
      await Promise.all([kill, act()])
      await within(killed.ended, SPRUNG_WITHIN_MS, 'no kill came')
      if (isDead()) await revive()
    },

    /** Repeats an attempt that a dead server may cut off, until it succeeds. */
    async persist<T>(attempt: () => Promise<T | undefined>): Promise<T> {
      const until = Date.now() + PATIENCE_MS
      while (Date.now() < until) {
        try {
          const done = await attempt()
          if (done !== undefined) return done
          await new Promise((resolve) => setTimeout(resolve, 100))
        } catch (error) {
          if (!isCutOff(error)) throw error
          // The kill may have come before the answer or during it.
          await within(program.ended, SPRUNG_WITHIN_MS, 'a living server cut a call off')
          await revive()
        }
      }
      throw new Error(`no success within ${PATIENCE_MS / 1000} s`)
    },

    /** Makes one call, and repeats it until it is answered. */
    call<N extends CallName>(name: N, given: Given): Promise<Answered<Output<Api[N]>>> {
      return this.persist(async () => {
        const answer = await ask(recorder.url, name, given)
        return TRY_AGAIN.has(answer.status) ? undefined : answer
      })
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** fetch reports `fetch failed` for a connection that was refused, cut or reset. */
const isCutOff = (error: unknown): boolean => error instanceof TypeError && /fetch failed|terminated|other side closed/.test(error.message)

async function within<T>(promise: Promise<T>, ms: number, complaint: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
