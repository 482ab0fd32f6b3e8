/** Reads a folder with a copy of the published files. JSON files end in .json, the others have no ending. Node only. */
import { open, stat } from 'node:fs/promises'
import path from 'node:path'
import { isJson, type Source, UnavailableError } from './sources.ts'

export function folderSource(folder: string): Source {
  return {
    isLive: false,
    async open(name) {
      const file = path.join(folder, isJson(name) ? `${name}.json` : name)
      const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
        throw new UnavailableError(`${file} cannot be read (${error.message})`)
      })
      if (found?.isFile() !== true) return undefined
      return { bytes: found.size, pieces: piecesOf(file) }
    },
  }
}

const PIECE_BYTES = 1 << 18

/** Reads a file through one reused buffer: a new buffer per read would pile up gigabytes before garbage collection. */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(PIECE_BYTES)
  try {
    const handle = await open(file)
    try {
      for (;;) {
        const { bytesRead } = await handle.read(piece, 0, PIECE_BYTES, null)
        if (bytesRead === 0) return
        yield piece.subarray(0, bytesRead)
      }
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw new UnavailableError(`${file} cannot be read (${String(error)})`)
  }
}
