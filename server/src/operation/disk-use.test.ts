/** The used share of a disk equals `df`; a missing folder has none. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { diskUsed } from './disk-use.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'roz-disk-'))
afterAll(() => rmSync(folder, { recursive: true }))
/** In whole percent, rounded up. */
const byDf = (place: string): number => Number(/ (\d+)% /.exec(execFileSync('df', ['-P', place], { encoding: 'utf8' }))?.[1])

test.skipIf(process.platform === 'win32')('the used share equals df for the fullest disk among the folder and what is in it', async () => {
  expect(await diskUsed(path.join(folder, 'nowhere'))).toBe(0)
  // Other programs write meanwhile.
  const isNear = async (percent: number): Promise<void> => expect(Math.abs((await diskUsed(folder)) * 100 - percent)).toBeLessThan(2)
  await isNear(byDf(folder))
  // As a mount: uploads on another disk.
  mkdirSync(path.join(folder, 'postgres'))
  const root = path.parse(folder).root
  symlinkSync(root, path.join(folder, 'uploads'))
  await isNear(Math.max(byDf(folder), byDf(root)))
})
