/**
 * A language consists of a line in the list of languages, its catalogues, and its folder of long texts.
 * - An invented third language is added in a copy of the sources: the types must ask for exactly these.
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
  const catalogue = path.join(copy, 'core/src/locales/ta.ts')
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
    const line = "  ta: { name: 'தமிழ்', locale: 'ta-IN', dayPeriod: undefined, catalogue: TA },\n"
    writeFileSync(list, `import { TA } from './locales/ta.ts'\n${text.replace(hindi, hindi + line)}`)
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

  test('needs its complete catalogue and no other code', { timeout: 400_000 }, () => {
    expect(complaints('core')).toEqual([expect.stringMatching(/^core\/src\/language\.ts.*Cannot find module '\.\/locales\/ta\.ts'/)])
    writeFileSync(catalogue, "export const TA = { Wallet: 'வாலட்' } as const\n")
    const lacking = complaints('core')
    expect(lacking.length).toBeGreaterThan(0)
    expect(lacking.filter((line) => !line.startsWith('core/src/language.ts'))).toEqual([])
    writeFileSync(catalogue, readFileSync(path.join(ROOT, 'core/src/locales/hi.ts'), 'utf8').replace('const HI', 'const TA'))
    for (const workspace of ['server', 'web']) expect(complaints(workspace), workspace).toEqual([])
  })
})
