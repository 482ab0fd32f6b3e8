/**
 * How full the disks are that this server writes to: DATA_DIR, and in it the local database and the uploads.
 * - Computed as `df` does: of the bytes that a user other than root can have.
 * - A folder that does not exist is on no disk. The disk of DATABASE_URL or of a bucket is watched where it is.
 */
import { statfs } from 'node:fs/promises'
import path from 'node:path'

export const DISK_USED = {
  name: 'roz_disk_used_ratio',
  help: 'Used share, from 0 to 1, of the fullest disk under DATA_DIR, where uploads and the local database are',
} as const

/** Each of the folders may be a mount of its own; the fullest one counts. */
export async function diskUsed(dataDir: string): Promise<number> {
  const folders = ['', 'postgres', 'uploads'].map((name) => path.join(dataDir, name))
  return Math.max(...(await Promise.all(folders.map(usedShare))))
}

async function usedShare(folder: string): Promise<number> {
  const disk = await statfs(folder).catch(() => undefined)
  if (disk === undefined) return 0
  const used = disk.blocks - disk.bfree
  return used === 0 ? 0 : used / (used + disk.bavail)
}
