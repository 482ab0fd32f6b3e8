/** Reads and parses the repository's files once, for the rules in tidy.test.ts. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseSync } from 'vite'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const SKIPPED = new Set(['node_modules', 'dist', 'test-results'])

type Import = {
  readonly specifier: string
  readonly target: string | undefined
  readonly typeOnly: boolean
  /** `import()`: loaded when that line is reached. */
  readonly isDeferred: boolean
  readonly line: number
}
type Literal = { readonly text: string; readonly line: number }
export type Source = {
  /** The path from the root, with slashes. */
  readonly name: string
  readonly text: string
  readonly lines: number
  readonly isTest: boolean
}
export type Code = Source & {
  readonly imports: readonly Import[]
  readonly literals: readonly Literal[]
  /** The English of every `texts('…')`, or undefined for an argument that is no plain literal. */
  readonly texts: readonly (string | undefined)[]
}
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<Record<string, unknown>>

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name) || (entry.name.startsWith('.') && entry.name !== '.github' && entry.isDirectory())) continue
    const file = path.join(folder, entry.name)
    if (entry.isDirectory()) yield* walk(file)
    else if (entry.isFile()) yield file
  }
}

/** A file counts as test code if it is a test or only tests use it. */
const isTestName = (name: string): boolean =>
  /\.test\.tsx?$/.test(name) ||
  /(^|\/)testing\//.test(name) ||
  name.endsWith('/fixtures.ts') ||
  name.startsWith('e2e/') ||
  name.startsWith('lab/')

export const sources: readonly Source[] = [...walk(ROOT)]
  .filter((file) => /\.(ts|tsx|mjs|js|sql|md|css|html|json|po|yml|py|sh)$/.test(file) || path.basename(path.dirname(file)) === '.ci')
  .map((file) => {
    const name = path.relative(ROOT, file).split(path.sep).join('/')
    const text = readFileSync(file, 'utf8')
    return { name, text, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0), isTest: isTestName(name) }
  })

export const code: readonly Code[] = sources.filter(({ name }) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts')).map(parse)

export const text = (name: string): string => sources.find((source) => source.name === name)?.text ?? ''

function parse(source: Source): Code {
  const { program, errors } = parseSync(source.name, source.text)
  if (errors.length > 0) throw new Error(`${source.name} does not parse: ${errors[0]?.message}`)
  const found = {
    imports: [] as Import[],
    literals: [] as Literal[],
    texts: [] as (string | undefined)[],
  }
  const lineOf = lineFinder(source.text)
  visit(program as unknown as Node, (node) => {
    const line = lineOf(node.start)
    const specifier = specifierOf(node)
    if (specifier !== undefined)
      found.imports.push({
        specifier,
        target: targetOf(source.name, specifier),
        typeOnly: isTypeOnly(node),
        isDeferred: node.type === 'ImportExpression',
        line,
      })
    if (node.type === 'TemplateElement') found.literals.push({ text: (node.value as { raw: string }).raw, line })
    if (isTextsCall(node)) found.texts.push((node.arguments as readonly { readonly value?: string }[])[0]?.value)
    if (node.type === 'Literal' && typeof node.value === 'string') found.literals.push({ text: node.value, line })
  })
  return { ...source, ...found }
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, see)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function lineFinder(content: string): (offset: number) => number {
  const starts = [0]
  for (let at = content.indexOf('\n'); at !== -1; at = content.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}

function specifierOf(node: Node): string | undefined {
  if (!/^(ImportDeclaration|ExportNamedDeclaration|ExportAllDeclaration|ImportExpression|TSImportType)$/.test(node.type)) return undefined
  const source = node.source as { readonly value?: unknown } | null | undefined
  return typeof source?.value === 'string' ? source.value : undefined
}

function isTypeOnly(node: Node): boolean {
  if (node.type === 'TSImportType' || node.importKind === 'type' || node.exportKind === 'type') return true
  const specifiers = node.specifiers as readonly { readonly importKind?: string }[] | undefined
  return specifiers !== undefined && specifiers.length > 0 && specifiers.every((one) => one.importKind === 'type')
}

/** The repository's file that an import refers to, or undefined for packages and Node's own modules. */
function targetOf(from: string, specifier: string): string | undefined {
  const bare = specifier.split('?')[0] as string
  if (bare.startsWith('.')) return path.posix.normalize(path.posix.join(path.posix.dirname(from), bare))
  const ours = /^@roz\/([^/]+)\/(.+)$/.exec(bare)
  if (ours === null) return undefined
  return `${ours[1]}/src/${ours[2]}`
}

function isTextsCall(node: Node): boolean {
  return node.type === 'CallExpression' && (node.callee as { readonly name?: string }).name === 'texts'
}
