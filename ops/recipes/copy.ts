/**
 * A copy of the sources that a recipe can be followed on.
 *
 * - The checkout never changes: every edit is of the copy, in the system's folder for temporary files.
 * - `undo` gives the copy back as it was made.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
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

/** One step of a recipe: the file, the text that is there once, and the text it becomes; without `find` the file is new. */
export type Edit = { readonly file: string; readonly find?: string; readonly put: string }
export type Outcome = { readonly ok: boolean; readonly output: string }

export function makeCopy() {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-recipe-')))
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (source) => !NOT_COPIED.has(path.basename(source)),
    })
  linkPackages(ROOT, folder)
  const before = new Map<string, string | undefined>()

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
      for (const { file, find, put } of edits) {
        const place = path.join(folder, file)
        const text = existsSync(place) ? readFileSync(place, 'utf8') : undefined
        if (!before.has(file)) before.set(file, text)
        if (find === undefined) {
          mkdirSync(path.dirname(place), { recursive: true })
          writeFileSync(place, put)
          continue
        }
        const times = (text ?? '').split(find).length - 1
        if (times !== 1) throw new Error(`${file} has this text ${times} times, not once: ${find}`)
        writeFileSync(
          place,
          (text as string).replace(find, () => put),
        )
      }
    },
    undo(): void {
      for (const [file, text] of before) {
        if (text === undefined) rmSync(path.join(folder, file))
        else writeFileSync(path.join(folder, file), text)
      }
      before.clear()
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
