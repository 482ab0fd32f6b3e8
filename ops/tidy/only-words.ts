/**
 * `npm run only-words -- <revision>`: shows that a change since that revision rewrote only words.
 *
 * - Code is compared by its syntax tree, which has no comments. SQL and CSS are compared without their comments. Markdown may change freely.
 * - Text in string literals may change. Each change is printed, so that a reviewer sees all of them.
 * - Any other difference is a finding and sets exit code 1, as does a file that was added, removed or moved.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'
import { ROOT } from './source.ts'

export type Compared = {
  readonly sameCode: boolean
  /** The changed texts of literals, before and after. */
  readonly texts: readonly (readonly [before: string, after: string])[]
}

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 })

/** Positions depend on the comments around a node, and `raw` repeats a node's text. */
const NOT_CODE = new Set(['start', 'end', 'range', 'loc', 'raw', 'comments', 'hashbang'])
const TEXT_NODES = new Set(['Literal', 'TemplateElement', 'JSXText'])

/** The tree without positions, and the texts that were taken out of it, in order. */
function treeOf(name: string, source: string): { readonly tree: string; readonly texts: readonly string[] } {
  const { program, errors } = parseSync(name, source)
  if (errors.length > 0) throw new Error(`${name} does not parse: ${errors[0]?.message}`)
  const texts: string[] = []
  const tree = JSON.stringify(program, (key, value: unknown) => {
    if (NOT_CODE.has(key)) return undefined
    if (typeof value === 'bigint') return `${value}n`
    const node = value as { readonly type?: string; readonly value?: unknown } | null
    if (typeof node !== 'object' || node === null || !TEXT_NODES.has(node.type ?? '')) return value
    const text = typeof node.value === 'object' && node.value !== null ? (node.value as { readonly raw?: unknown }).raw : node.value
    if (typeof text !== 'string') return value
    texts.push(text)
    return { type: node.type }
  })
  return { tree, texts }
}

const withoutComments: Readonly<Record<string, (source: string) => string>> = {
  '.sql': (source) => source.replace(/--.*$/gm, ''),
  '.css': (source) => source.replace(/\/\*[^]*?\*\//g, ''),
}

export function compareWords(name: string, before: string, after: string): Compared {
  const ending = path.extname(name)
  const strip = withoutComments[ending]
  if (strip !== undefined) {
    const [was, is] = [before, after].map((source) => strip(source).replace(/\s+/g, ' ').trim())
    return { sameCode: was === is, texts: [] }
  }
  if (!/^\.(tsx?|m?js|mts)$/.test(ending)) return { sameCode: ending === '.md' || before === after, texts: [] }
  const was = treeOf(name, before)
  const is = treeOf(name, after)
  if (was.tree !== is.tree || was.texts.length !== is.texts.length) return { sameCode: false, texts: [] }
  const texts = was.texts.map((text, index) => [text, is.texts[index] as string] as const).filter(([old, now]) => old !== now)
  return { sameCode: true, texts }
}

function report(revision: string): number {
  const findings: string[] = []
  const changed = git('diff', '--name-only', '--no-renames', revision).split('\n').filter(Boolean)
  for (const name of changed) {
    const file = path.join(ROOT, name)
    const known = git('ls-tree', '--name-only', revision, '--', name).trim() !== ''
    if (!known || !existsSync(file)) {
      findings.push(`${name} was ${known ? 'removed' : 'added'}`)
      continue
    }
    const { sameCode, texts } = compareWords(name, git('show', `${revision}:${name}`), readFileSync(file, 'utf8'))
    if (!sameCode) findings.push(`${name}: its code changed`)
    for (const [before, after] of texts) process.stdout.write(`${name}\n  - ${before.trim()}\n  + ${after.trim()}\n`)
  }
  for (const finding of findings) process.stdout.write(`✗ ${finding}\n`)
  process.stdout.write(`${changed.length} files changed, ${findings.length} of them in more than words\n`)
  return findings.length === 0 ? 0 : 1
}

if (process.argv[1] === import.meta.filename) {
  const [revision] = process.argv.slice(2)
  if (revision === undefined) process.stderr.write('usage: npm run only-words -- <revision>\n')
  process.exitCode = revision === undefined ? 2 : report(revision)
}
