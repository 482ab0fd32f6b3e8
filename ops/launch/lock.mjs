/**
 * A lock between launchers, for work that changes the checkout.
 * - The lock is a listening socket, so the operating system releases it when its holder dies.
 * - On macOS the socket has a file. A file on which no process answers is stale and is removed.
 */
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isStopping, ROOT } from './processes.mjs'

const RETRY_MS = 100

/** Runs `work` while no other launcher of this checkout does. `onWait` is called once if another launcher has the lock. */
export async function alone(what, onWait, work) {
  const name = `roz-${what}-${createHash('sha256').update(ROOT).digest('hex').slice(0, 24)}`
  let waited = false
  while (!isStopping()) {
    const server = await take(name)
    if (server !== undefined) {
      try {
        return await work()
      } finally {
        await new Promise((resolve) => server.close(resolve))
      }
    }
    if (!waited) onWait()
    waited = true
    await sleep(RETRY_MS)
  }
  return undefined
}

async function take(name) {
  const file = path.join(tmpdir(), `${name}.lock`)
  if (process.platform === 'win32') return listen(`\\\\.\\pipe\\${name}`)
  if (process.platform === 'linux') {
    try {
      return await listen(`\0${name}`)
    } catch {
      // The first releases of Node 20 do not support abstract sockets.
    }
  }
  const server = await listen(file)
  if (server === undefined && !(await answers(file))) rmSync(file, { force: true })
  return server
}

/** Resolves to undefined if the address is in use. */
function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(address, () => resolve(server))
  })
}

function answers(file) {
  return new Promise((resolve) => {
    const socket = connect(file)
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
