/**
 * A copy of the sources, on which a recipe is followed.
 *
 * - The checkout never changes: every edit changes the copy, in the system's folder for temporary files.
 * - `undo` restores the copy to its first state.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { linkPackages } from '../seeded-bugs/lane.ts'
import { ROOT } from '../tidy/source.ts'

const COPIED = [
  'core',
  'contract',
  'server',
  'gateway-sandbox',
  'verifier',
  'ops/tidy',
  'tidy.test.ts',
  'vitest.config.ts',
  'tsconfig.base.json',
  'package.json',
  'package-lock.json',
  'README.md',
]
const NOT_COPIED = new Set(['node_modules', 'dist', '.data'])

/** One step of a recipe: `put` is written before the first match of `before`. */
export type Edit = { readonly file: string; readonly before: RegExp; readonly put: string }
export type Outcome = { readonly ok: boolean; readonly output: string }

export function makeCopy() {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-recipe-')))
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !NOT_COPIED.has(path.basename(source)),
    })
  linkPackages(ROOT, folder)
  const originals = new Map<string, string>()

  const run = (args: readonly string[]): Outcome => {
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, NODE_ENV: 'test', NO_COLOR: '1' },
    })
    return { ok: status === 0, output: stdout + stderr }
  }
  return {
    apply(edits: readonly Edit[]): void {
      for (const { file, before, put } of edits) {
        const place = path.join(folder, file)
        const text = readFileSync(place, 'utf8')
        if (!before.test(text)) throw new Error(`${file}: nothing matches ${String(before)}`)
        if (!originals.has(file)) originals.set(file, text)
        writeFileSync(
          place,
          text.replace(before, (found) => put + found),
        )
      }
    },
    undo(): void {
      for (const [file, text] of originals) writeFileSync(path.join(folder, file), text)
      originals.clear()
    },
    /** Checks the types of a workspace. */
    types: (workspace: string): Outcome =>
      run([
        path.join(ROOT, 'node_modules/typescript/bin/tsc'),
        '-p',
        workspace,
        '--pretty',
        'false',
        '--incremental',
        '--tsBuildInfoFile',
        `${workspace}.tsbuildinfo`,
      ]),
    /** Runs one test file, or the tests of it that `only` names. */
    test: (file: string, only?: string): Outcome =>
      run(['node_modules/vitest/vitest.mjs', 'run', file, ...(only === undefined ? [] : ['-t', only])]),
    remove: (): void => rmSync(folder, { recursive: true, force: true }),
  }
}
export type Copy = ReturnType<typeof makeCopy>
