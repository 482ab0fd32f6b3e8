/** Settings out of files: `.env`, and a file for each secret. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { complaintsOf } from '../testing/production.ts'
import { withFiles } from './environment.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'roz-env-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
writeFileSync(path.join(folder, '.env'), '# a comment\nPORT=9000\nBRAND_NAME="Rupee a day"\nSECRET_KEY=of the file\n')
writeFileSync(path.join(folder, 'key'), 'a secret of a file\n')
const reasonsFor = (env: Record<string, string>) => complaintsOf(env, (given) => withFiles(given, folder))

test('a .env in the folder of the start is read, and the environment wins over it', () => {
  expect(withFiles({ PORT: '9001', PATH: '/bin' }, folder)).toEqual({
    PORT: '9001',
    PATH: '/bin',
    BRAND_NAME: 'Rupee a day',
    SECRET_KEY: 'of the file',
  })
})

test('ENV_FILE names another file, or none', () => {
  writeFileSync(path.join(folder, 'other.env'), 'PORT=9002')
  expect(withFiles({ ENV_FILE: 'other.env' }, folder)).toEqual({ ENV_FILE: 'other.env', PORT: '9002' })
  expect(withFiles({ ENV_FILE: 'none' }, folder)).toEqual({ ENV_FILE: 'none' })
  expect(reasonsFor({ ENV_FILE: 'gone.env' })).toEqual([`ENV_FILE: the file “${path.join(folder, 'gone.env')}” cannot be read`])
})

test('a secret may come from a file; twice, from no file, or another setting from one is refused without a word of the value', () => {
  const none = { ENV_FILE: 'none' }
  expect(withFiles({ ...none, SECRET_KEY_FILE: 'key' }, folder)).toMatchObject({ SECRET_KEY: 'a secret of a file' })
  mkdirSync(path.join(folder, 'a-folder'))
  expect(
    reasonsFor({ ...none, SECRET_KEY: 'hidden', SECRET_KEY_FILE: 'key', METRICS_TOKEN_FILE: 'a-folder', PORT_FILE: 'key' }).toSorted(),
  ).toEqual([
    `METRICS_TOKEN_FILE: the file “${path.join(folder, 'a-folder')}” cannot be read`,
    'PORT_FILE: only a secret may come from a file; set PORT',
    'SECRET_KEY and SECRET_KEY_FILE are both set: keep one',
  ])
})
