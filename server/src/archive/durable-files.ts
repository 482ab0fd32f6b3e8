/** Writes files so that a power cut leaves a whole file or none: under a temporary name, flushed, renamed; then its folder is flushed. */
import { open, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'

async function flush(place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function writeWhole(file: string, text: string): Promise<void> {
  await writeFile(`${file}.part`, text, { mode: 0o600, flush: true })
  await rename(`${file}.part`, file)
  await flush(path.dirname(file))
}

export async function moveInto(from: string, to: string): Promise<void> {
  await rename(from, to)
  await flush(path.dirname(to))
}
