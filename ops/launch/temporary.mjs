/** Chooses the folder for the tests' temporary files. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import path from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** All temporary files of one test run take at most a quarter of this. */
const ROOM_BYTES = 8 * 2 ** 30

/**
 * In memory if there is plenty of it, else the system's temporary folder. The database of each test file is a thousand small files;
 * creating and deleting them on a disk takes a fifth of the tests' time.
 */
export const temporaryFolder = () => (isRoomInMemory() ? MEMORY : tmpdir())

function isRoomInMemory() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux') return false
  try {
    const { type, bavail, bsize } = statfsSync(MEMORY)
    return type === TMPFS && bavail * bsize >= ROOM_BYTES && freemem() >= 2 * ROOM_BYTES && mayRunThere()
  } catch {
    return false
  }
}

/** Some systems do not execute programs in /dev/shm, and the tests of a fresh checkout start programs there. */
function mayRunThere() {
  const folder = mkdtempSync(path.join(MEMORY, 'roz-look-'))
  try {
    const program = path.join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
