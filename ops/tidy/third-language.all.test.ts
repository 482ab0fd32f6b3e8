/**
 * A language consists of a line in the list of languages and a folder of locales/.
 * - An invented third language is added to the list in a copy of the sources: no type may ask for more.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from './source.ts'

describe('a third language', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'roz-third-'))
  const list = path.join(copy, 'core/src/language.ts')
  beforeAll(() => {
    for (const name of ['core', 'contract', 'server', 'web', 'verifier', 'gateway-sandbox', 'package.json', 'tsconfig.base.json'])
      cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true })
    mkdirSync(path.join(copy, 'node_modules/@roz'), { recursive: true })
    for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
      if (name !== '@roz') symlinkSync(path.join(ROOT, 'node_modules', name), path.join(copy, 'node_modules', name))
    }
    for (const name of ['core', 'contract', 'server', 'web', 'verifier', 'gateway-sandbox'])
      symlinkSync(path.join(copy, name), path.join(copy, 'node_modules/@roz', name))
    const text = readFileSync(list, 'utf8')
    const hindi = /\n  hi: \{.*\},\n/.exec(text)?.[0] ?? ''
    const line = "  ta: { name: 'தமிழ்', locale: 'ta-IN', dayPeriod: undefined },\n"
    writeFileSync(list, text.replace(hindi, hindi + line))
  })
  afterAll(() => rmSync(copy, { recursive: true }))

  /** The compiler's errors, one per line. */
  function complaints(workspace: string): string[] {
    const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', workspace, '--pretty', 'false'], {
      cwd: copy,
      encoding: 'utf8',
    })
    return stdout.split('\n').filter((line) => /error TS/.test(line))
  }

  test('needs no other code', { timeout: 400_000 }, () => {
    expect(readFileSync(list, 'utf8')).toContain("'ta-IN'")
    for (const workspace of ['core', 'server', 'web']) expect(complaints(workspace), workspace).toEqual([])
  })
})
