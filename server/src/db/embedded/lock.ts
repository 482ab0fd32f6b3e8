/**
 * A lock between processes, one per folder.
 * - The lock is a listening socket: the operating system releases it when its holder dies.
 * - On macOS the socket has a file. A file on which no process answers is stale and is removed.
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const RETRY_MS = 50

/** Runs `work` under the lock. Returns `undefined` without running it if the lock stayed taken for `waitMs`. */
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
  // Closes each connection at once: the socket only shows that the lock is taken.
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
