/** A witness's state survives a second program and a killed one. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { verifierKeyOf } from '../src/note.ts'
import type { State } from '../src/state.ts'
import { InUseError, openState, peekState } from '../src/state-file.ts'
import { LOG, ORIGIN } from './site-maker.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-state-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const stateOf = (size: number): State => ({
  logKey: verifierKeyOf(LOG),
  checkpoint: { origin: ORIGIN, size, root: new Uint8Array(32) },
  note: new Uint8Array(),
  pending: undefined,
  seenTo: undefined,
  waiting: [],
})

test('one program at a time can open the state; a reader sees the last saved state', async () => {
  const file = path.join(folder, 'shared')
  const first = await openState(file)
  expect(first.state).toBeUndefined()
  await first.save(stateOf(3))
  await expect(openState(file)).rejects.toThrow(InUseError)
  expect((await peekState(file))?.checkpoint.size).toBe(3)
  await first.close()
  const second = await openState(file)
  expect(second.state?.checkpoint.size).toBe(3)
  await second.close()
  expect(readdirSync(folder).filter((name) => name.startsWith('shared'))).toEqual(['shared'])
})

test('the lock of an ended program is taken over, also when its pid was reused', async () => {
  const file = path.join(folder, 'left')
  for (const left of ['', '999999999 1', `${process.pid} 1`]) {
    writeFileSync(`${file}.lock`, left)
    await (await openState(file)).close()
  }
})

test('a save is refused when another program changed the file', async () => {
  const file = path.join(folder, 'meddled')
  const mine = await openState(file)
  await mine.save(stateOf(4))
  rmSync(`${file}.lock`)
  const theirs = await openState(file)
  await theirs.save(stateOf(9))
  await expect(mine.save(stateOf(5))).rejects.toThrow('no two may share it')
  expect((await peekState(file))?.checkpoint.size).toBe(9)
  await theirs.close()
})
