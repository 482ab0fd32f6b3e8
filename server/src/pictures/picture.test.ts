/** The decoder's time limit: a slow machine is no fault of the picture. */
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { UnavailableError } from '../http/faults.ts'
import { reencodePicture } from './picture.ts'

const picture = (side: number): Promise<Buffer> =>
  sharp({ create: { width: side, height: side, channels: 3, background: '#c04020', noise: { type: 'gaussian', mean: 128, sigma: 30 } } })
    .png()
    .toBuffer()

test('a picture that takes longer than the limit is refused as busy, and a broken one as a wrong file', async () => {
  const bytes = await picture(2000)
  const upload = { bytes }
  // Many times more work than a second has, on any machine.
  const slow = reencodePicture(upload, (upright) => upright.median(99), 1)
  await expect(slow).rejects.toThrow(UnavailableError)
  expect(await reencodePicture(upload, (upright) => upright.resize(64))).toMatchObject({ ok: true, width: 64 })
  const half = { bytes: bytes.subarray(0, bytes.length / 2) }
  expect(await reencodePicture(half, (upright) => upright.resize(64))).toEqual({ ok: false, code: 'avatar_not_image' })
})
