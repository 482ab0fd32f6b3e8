/** A copy of the product's sources with one more line in the list of languages. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './program.ts'

const WORKSPACES = ['core', 'contract', 'server', 'web', 'verifier', 'gateway-sandbox'] as const

/** Copies the sources into an empty folder. `line` is an entry of `LIST` in core/src/language.ts; its folder is the caller's matter. */
export function copyWithLanguage(copy: string, line: string): void {
  for (const name of [...WORKSPACES, 'locales', 'ops', 'spec', 'package.json', 'package-lock.json', 'tsconfig.base.json'])
    cpSync(path.join(ROOT, name), path.join(copy, name), {
      recursive: true,
      filter: (file) => path.basename(file) !== 'node_modules' || file === path.join(ROOT, name),
    })
  mkdirSync(path.join(copy, 'node_modules/@roz'), { recursive: true })
  for (const name of readdirSync(path.join(ROOT, 'node_modules')))
    if (name !== '@roz') symlinkSync(path.join(ROOT, 'node_modules', name), path.join(copy, 'node_modules', name))
  for (const name of WORKSPACES) symlinkSync(path.join(copy, name), path.join(copy, 'node_modules/@roz', name))
  const list = path.join(copy, 'core/src/language.ts')
  const before = readFileSync(list, 'utf8')
  const after = before.replace(/(\nconst LIST = \{\n(?: {2}.*\n)+)/, `$1  ${line},\n`)
  if (after === before) throw new Error('the list of languages has another form')
  writeFileSync(list, after)
}
