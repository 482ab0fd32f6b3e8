/**
 * The state file of a reader or a witness. Node only.
 *
 * - A save is atomic and durable (fsync and rename).
 * - A lock file lets one program at a time change the state, so a witness never forgets a tree that it signed.
 */
import { open, readFile, rename, unlink } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { readState, type State, writeState } from './state.ts'

/** Another running program has locked or changed this file. */
export class InUseError extends Error {
  override readonly name = 'InUseError'
}

export type StateFile = {
  /** The state at opening; undefined if there was no file. */
  readonly state: State | undefined
  /** The state is durable when the promise resolves. */
  readonly save: (state: State) => Promise<void>
  /** Releases the lock. */
  readonly close: () => Promise<void>
}

const ifThere = (error: NodeJS.ErrnoException): undefined => {
  if (error.code === 'ENOENT') return undefined
  throw error
}
const textOf = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(ifThere)

export async function peekState(file: string): Promise<State | undefined> {
  const bytes = await readFile(file).catch(ifThere)
  return bytes && readState(new Uint8Array(bytes))
}

export async function openState(file: string): Promise<StateFile> {
  const lock = `${file}.lock`
  await take(lock)
  const close = (): Promise<void> => unlink(lock).catch(() => undefined)
  try {
    const state = await peekState(file)
    let known = state === undefined ? undefined : writeState(state)
    const save = async (next: State): Promise<void> => {
      // The lock does not work between two machines on a shared disk, so compare the content too.
      if ((await textOf(file)) !== known) throw new InUseError(`${file} was changed by another program: no two may share it`)
      const text = writeState(next)
      await replace(file, text)
      known = text
    }
    return { state, save, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`
  const handle = await open(fresh, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(fresh, file)
  // Sync the folder, or a power loss may restore the old file. Some systems cannot open a folder.
  const folder = await open(path.dirname(file), 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

/** Takes the lock; a stale lock of a killed program is removed. */
async function take(lock: string): Promise<void> {
  for (let tries = 0; tries < 3; tries += 1) {
    const handle = await open(lock, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return undefined
      throw error
    })
    if (handle !== undefined) {
      try {
        await handle.writeFile(`${process.pid} ${await startOf('self')}`)
      } finally {
        await handle.close()
      }
      return
    }
    const [pid = '', start = ''] = ((await textOf(lock)) ?? '').split(' ')
    if (await isRunning(Number(pid), start))
      throw new InUseError(`${lock.slice(0, -5)} is in use by process ${pid}; if that is no roz-verify, remove ${lock}`)
    await unlink(lock).catch(ifThere)
  }
  throw new InUseError(`${lock} cannot be taken`)
}

async function isRunning(pid: number, start: string): Promise<boolean> {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
  }
  // The pid may have been reused by another process.
  return (await startOf(pid)) === start
}

/** Start time of a process in kernel ticks; empty if /proc does not provide it. */
async function startOf(pid: number | 'self'): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
