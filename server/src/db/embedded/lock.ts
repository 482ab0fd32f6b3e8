/**
 * One process at a time, per folder. Invariant: the lock is a listening socket, so the system itself
 * releases it when its holder dies; no lock file can be left behind and none has to be judged stale.
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 50

/** Runs `work` alone, or answers `undefined` without running it when the lock stayed taken. */
export async function alone<T>(folder: string, waitMs: number, work: () => Promise<T>): Promise<T | undefined> {
  const address = lockAddress(folder)
  const deadline = Date.now() + waitMs
  for (;;) {
    const server = await listen(address)
    if (server !== undefined) {
      try {
        return await work()
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    }
    if (Date.now() > deadline) return undefined
    await sleep(RETRY_MS)
  }
}

function lockAddress(folder: string): string {
  const name = `roz-${createHash('sha256').update(folder).digest('hex').slice(0, 24)}`
  if (process.platform === 'linux') return `\0${name}`
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.lock`)
}

async function listen(address: string): Promise<Server | undefined> {
  // Whoever connects is let go at once: the socket says "taken" and nothing else.
  const server = createServer((socket) => socket.destroy())
  const outcome = await new Promise<true | NodeJS.ErrnoException>((resolve) => {
    server.once('error', resolve)
    server.listen(address, () => resolve(true))
  })
  if (outcome === true) return server
  if (outcome.code !== 'EADDRINUSE') throw outcome
  if (path.isAbsolute(address) && process.platform !== 'win32' && !(await answers(address))) rmSync(address, { force: true })
  return undefined
}

function answers(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
