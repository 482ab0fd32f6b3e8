/**
 * Archives the write-ahead log (WAL) of the local database into a folder, for backups.
 * - Archiving is always on, so that a first backup needs no restart. Without the folder `wal/` no segment is kept.
 * - A segment appears in `wal/` under its name when all its bytes are on the disk. PostgreSQL keeps it until then.
 *
 *   <dataDir>/wal/             segments that no backup has yet
 *   <dataDir>/backup.json      the backup folder that they are shipped to (backup/ship.ts)
 */
import path from 'node:path'

/** Windows has no shell that this command runs in; there the local database is not backed up while it runs. */
export const CAN_ARCHIVE = process.platform !== 'win32'

/** PostgreSQL runs the command in the folder `cluster/`, and replaces %p and %f by a segment's path and name. */
const COMMAND =
  'test ! -d ../wal || { cp "%p" "../wal/%f.part" && sync "../wal/%f.part" && mv "../wal/%f.part" "../wal/%f" && sync ../wal; }'

export const ARCHIVE_FLAGS: readonly string[] = CAN_ARCHIVE ? ['archive_mode=on', `archive_command=${COMMAND}`] : []

/** Maximum age of a commit before its segment is archived, full or not. */
export const SEGMENT_SECONDS = 60

export const spoolOf = (dataDir: string): string => path.join(dataDir, 'wal')
export const isSegment = (name: string): boolean => /^[0-9A-F]{24}$/.test(name)
