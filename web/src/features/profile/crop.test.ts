import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstFrame, moved, ZOOM_MAX, zoomed, zoomOf } from './crop.ts'
import { readScale, PHOTO_SIDE_MAX_PX } from './picture.ts'

const WIDE = { width: 400, height: 200 }

describe('the frame over a picture', () => {
  test('starts in the centre at the largest size', () => {
    expect(firstFrame(WIDE)).toEqual({ x: 100, y: 0, side: 200 })
    expect(firstFrame({ width: 90, height: 160 })).toEqual({ x: 0, y: 35, side: 90 })
  })

  test('moves no further than the edge', () => {
    expect(moved(firstFrame(WIDE), -40, 10, WIDE)).toEqual({ x: 60, y: 0, side: 200 })
    expect(moved(firstFrame(WIDE), 1000, 0, WIDE)).toEqual({ x: 200, y: 0, side: 200 })
  })

  test('zooms around its centre, and at the edge away from the edge', () => {
    expect(zoomed(firstFrame(WIDE), 2, WIDE)).toEqual({ x: 150, y: 50, side: 100 })
    expect(zoomed({ x: 300, y: 100, side: 100 }, 1, WIDE)).toEqual({ x: 200, y: 0, side: 200 })
    expect(zoomOf(zoomed(firstFrame(WIDE), 99, WIDE), WIDE)).toBe(ZOOM_MAX)
    expect(zoomOf(zoomed(firstFrame(WIDE), 0, WIDE), WIDE)).toBe(1)
  })

  test('stays inside its picture after any moves and zooms', () => {
    const length = fc.integer({ min: 1, max: 5000 })
    const step = fc.oneof(
      fc.record({ right: fc.integer({ min: -9000, max: 9000 }), down: fc.integer({ min: -9000, max: 9000 }) }),
      fc.record({ zoom: fc.double({ min: 0, max: 9, noNaN: true }) }),
    )
    fc.assert(
      fc.property(fc.record({ width: length, height: length }), fc.array(step, { maxLength: 12 }), (picture, steps) => {
        let frame = firstFrame(picture)
        for (const one of steps) frame = 'zoom' in one ? zoomed(frame, one.zoom, picture) : moved(frame, one.right, one.down, picture)
        expect(Math.min(frame.x, frame.y)).toBeGreaterThanOrEqual(0)
        expect(frame.x + frame.side).toBeLessThanOrEqual(picture.width + 1e-6)
        expect(frame.y + frame.side).toBeLessThanOrEqual(picture.height + 1e-6)
      }),
    )
  })
})

describe('the scale at which a picture is read', () => {
  test.each([
    ['of a camera', { width: 4000, height: 3000 }],
    ['wide', { width: 4000, height: 2250 }],
    ['tall', { width: 1080, height: 2400 }],
  ])('of a %s picture leaves 512 px for the smallest frame, or does not reduce the picture', (_name, size) => {
    const side = Math.min(size.width, size.height)
    expect((readScale(size) * side) / ZOOM_MAX).toBeCloseTo(Math.min(side / ZOOM_MAX, PHOTO_SIDE_MAX_PX))
  })

  test("keeps the picture small enough for a phone's memory", () => {
    expect(readScale({ width: 9000, height: 3000 })).toBeLessThan(2048 / 3000)
    expect(100_000 * readScale({ width: 100_000, height: 20 })).toBeCloseTo(16_000)
  })
})
