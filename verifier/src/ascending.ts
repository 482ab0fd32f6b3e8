/** Checks that a streamed list is strictly ascending by the first 32 bytes of its entries. */
import { compare } from './bytes.ts'

const KEY_BYTES = 32

export function ascending(entryBytes: number): { readonly continues: (piece: Uint8Array) => boolean } {
  let last: Uint8Array = new Uint8Array(0)
  return {
    continues(piece) {
      if (piece.length === 0) return true
      if (compare(last, piece.subarray(0, KEY_BYTES)) >= 0) return false
      for (let at = entryBytes; at < piece.length; at += entryBytes) {
        let i = 0
        while (i < KEY_BYTES && piece[at + i] === piece[at + i - entryBytes]) i += 1
        if (i === KEY_BYTES || (piece[at + i] as number) < (piece[at + i - entryBytes] as number)) return false
      }
      last = new Uint8Array(piece.subarray(piece.length - entryBytes, piece.length - entryBytes + KEY_BYTES))
      return true
    },
  }
}
