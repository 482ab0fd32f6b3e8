import { expect, test } from 'vitest'
import { chanceOf, hasDraw, splitOf, splitShown } from './modes.ts'
import { POLICY_A, policyB } from './split.ts'

test('a split is shown as its policy says, and without winners the reward share is for people in need', () => {
  expect(splitShown(POLICY_A)).toEqual({ need: 60, reward: 30, platform: 10, winners: 1 })
  expect(splitShown(policyB(3))).toEqual({ need: 70, reward: 30, platform: 0, winners: 3 })
  expect(splitShown({ ...POLICY_A, winners: 0 })).toEqual({ need: 90, reward: 0, platform: 10, winners: 0 })
  expect(hasDraw({ split: splitShown(policyB(3)) })).toBe(true)
  expect(hasDraw({ split: splitShown({ ...policyB(3), winners: 0 }) })).toBe(false)
})

test('the chance is k in N, and never more than N in N', () => {
  expect(chanceOf(8215, 1)).toEqual({ wins: 1, of: 8215 })
  expect(chanceOf(100, 3)).toEqual({ wins: 3, of: 100 })
  expect(chanceOf(2, 3)).toEqual({ wins: 2, of: 2 })
  expect(chanceOf(0, 1)).toEqual({ wins: 1, of: 1 })
})

test('an answer without the number of winners has one where it has a reward', () => {
  expect(splitOf({ need: 60, reward: 30, platform: 10 })).toEqual({ need: 60, reward: 30, platform: 10, winners: 1 })
  expect(splitOf({ need: 90, reward: 0, platform: 10 }).winners).toBe(0)
  expect(splitOf({ need: 70, reward: 30, platform: 0, winners: 3 }).winners).toBe(3)
})
