/** SHA-256 of the platform, as the pure rules of the draw take it. */
import { createHash } from 'node:crypto'
import type { Sha256 } from '@roz/core/draw.ts'

export const sha256: Sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
