/**
 * A small disk for the database: a file with a file system in it, mounted.
 * - Only root can mount; without it there is no small disk, and the faults that need one are reported as such.
 * - `remove` unmounts it.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, fsyncSync, mkdirSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs'
import path from 'node:path'

export type SmallDisk = {
  readonly folder: string
  /** Fills every free byte. */
  readonly fill: () => void
  readonly free: () => void
  readonly remove: () => void
}

/** Room for a new cluster, 64 MB of WAL and a hundred cycles. */
const DISK_MB = 512
const CHUNK = Buffer.alloc(1 << 20, 1)

/** Undefined when this machine or user cannot mount. */
export function makeSmallDisk(inFolder: string): SmallDisk | undefined {
  const image = path.join(inFolder, 'disk.img')
  const folder = path.join(inFolder, 'disk')
  mkdirSync(folder, { recursive: true })
  const quietly = (command: string, ...args: string[]): void =>
    void execFileSync(command, args, { stdio: 'ignore', env: { PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
  try {
    closeSync(openSync(image, 'w'))
    truncateSync(image, DISK_MB << 20)
    quietly('mkfs.ext4', '-q', '-F', '-m', '0', image)
    quietly('mount', '-o', 'loop', image, folder)
    // Under root the database runs as another user.
    quietly('chmod', '755', folder)
  } catch {
    rmSync(image, { force: true })
    return undefined
  }
  const filler = path.join(folder, 'filler')
  return {
    folder,
    fill: () => {
      const file = openSync(filler, 'a')
      try {
        for (let size = CHUNK.length; size >= 512; size /= 2) fillBy(file, size)
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    remove: () => {
      quietly('umount', '-l', folder)
      rmSync(image, { force: true })
    },
  }
}

function fillBy(file: number, size: number): void {
  try {
    for (;;) writeSync(file, CHUNK, 0, size)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    // fsync makes the file system allocate the blocks that it only promised.
    try {
      fsyncSync(file)
    } catch {
      // The disk is full.
    }
  }
}
