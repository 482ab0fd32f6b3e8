/** A folder that holds a copy of the published files: JSON files end in .json, the others have no ending. For Node. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { type Source, UnavailableError } from './sources.ts'

const isJson = (name: string): boolean => /^(draws|books)\/[^/]+$/.test(name)

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

async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(file, { highWaterMark: 1 << 18 }) as AsyncIterable<Uint8Array>
  } catch (error) {
    throw new UnavailableError(`${file} cannot be read (${String(error)})`)
  }
}
