/** The library that decodes and draws pictures. It takes 11 MB, so a process loads it with its first picture. */
import type sharp from 'sharp'

export async function loadSharp(): Promise<typeof sharp> {
  const loaded = (await import('sharp')).default
  // Its own cache would keep up to 50 MB of decoded pictures.
  loaded.cache(false)
  return loaded
}
