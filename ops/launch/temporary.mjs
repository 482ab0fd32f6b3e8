/** Where tests keep what they throw away. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import path from 'node:path'

const MEMORY = '/dev/shm'
const TMPFS = 0x01021994
/** All that a run of the tests has there at one time takes a quarter of it. */
const ROOM_BYTES = 8 * 2 ** 30

/**
 * In memory where there is plenty of it, else where the system says: a database for each file of tests
 * is a thousand small files, whose making and deleting on a disk takes a fifth of what the tests take.
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

/** Some systems let no program be started from there, which tests of a fresh checkout do. */
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
