/**
 * `npm run many-members`: finds every statement of the server that is not bound to one member, and writes docs/many-members.txt.
 * - Such a statement would meet several shards of a database that is divided by member (docs/scale.md).
 * - `key`: it names a row by another key, so it would ask every shard. `many`: it may meet rows of several members (one-member.ts).
 * - Only the text is judged: a statement behind a view, function or fragment counts by the tables that its text names.
 * - Statements that change tables themselves (`alter`, `truncate`, `lock`) are not judged: they always meet all rows.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { reachOf } from './one-member.ts'
import { ROOT, sources } from './source.ts'

export const LIST = 'docs/many-members.txt'
export type Found = { readonly file: string; readonly kind: 'key' | 'many'; readonly verb: string; readonly tables: readonly string[] }

/** The views of the ledger and the tables whose members have other names of columns. */
const ALSO_OWNED = ['member', 'transfer', 'leg', 'legs_since', 'round_join', 'entry', 'entries_since', 'entry_in_archive']
const migrations = sources.filter(({ name }) => name.startsWith('server/migrations/') && name.endsWith('.sql'))
const withMember = migrations.flatMap(({ text }) =>
  [...text.matchAll(/^create table (\w+) \(([^]*?)^\)/gm)]
    .filter(([, , body = '']) => /\bmember_id\b/.test(body))
    .map(([, name = '']) => name),
)
/** A table whose name is put into a plain string. It may be any table: a month of entries, or each table in turn. */
const SOME_TABLE = 'some_table'
/** Tables with rows of members. */
export const OWNED: ReadonlySet<string> = new Set([...withMember, ...ALSO_OWNED, SOME_TABLE])

/** An `sql` template, or the quote of a plain string that begins like a statement. A closing quote in a comment follows a word. */
const BEGIN = /\bsql`|(?<=[\s([{])(['"`])(?=\s*\(?(?:select|insert into|update|delete from|with|copy)\s)/g

/** The statements and fragments in a source, with the templates inside them in their places and `$` for each value. */
export function statementsIn(text: string): string[] {
  const found: string[] = []
  const read = (from: number, quote = '`'): { readonly content: string; readonly end: number } => {
    let content = ''
    let at = from
    while (at < text.length && text[at] !== quote) {
      if (text.startsWith('${', at)) {
        const { value, end } = readValue(at + 2)
        content += value
        at = end
      } else content += text[at++]
    }
    return { content, end: at + 1 }
  }
  /** An interpolation: the templates in it, or `$`. */
  const readValue = (from: number): { readonly value: string; readonly end: number } => {
    let depth = 1
    let value = ''
    let at = from
    while (at < text.length && depth > 0) {
      const char = text[at]
      if (char === '`') {
        const { content, end } = read(at + 1)
        value += ` ${content} `
        at = end
        continue
      }
      if (char === '{') depth++
      if (char === '}') depth--
      at++
    }
    return { value: value === '' ? '$' : value, end: at }
  }
  const begin = new RegExp(BEGIN)
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    const { content, end } = read(begin.lastIndex, match[1])
    const statement = content.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim()
    found.push(match[1] === undefined ? statement : plain(statement))
    begin.lastIndex = end
  }
  return found
}

/** A plain string has its values as `$1`: what is put into it after `from` or `into` is a table. `copy` is written as what it does. */
const plain = (statement: string): string =>
  statement
    .replace(/\b(from|join|into|update|copy) \$(?!\d)/g, `$1 ${SOME_TABLE}`)
    .replace(/\$\d+/g, '$')
    .replace(/^copy (\w+) .*from stdin.*$/, 'insert into $1 select from stdin')

/** Undefined for a statement that names no table of members, or rows of one member only. */
export function judge(statement: string): Omit<Found, 'file'> | undefined {
  const { reach, tables } = reachOf(statement, OWNED)
  if (tables.length === 0 || reach === 'one') return undefined
  const [verb = ''] = /\b(?:insert|update|delete|select)\b/i.exec(statement) ?? []
  return { kind: reach, verb: verb.toLowerCase(), tables }
}

/** A line for each place: file, kind, verb, tables, and how often. */
export function linesOf(files: readonly { readonly name: string; readonly text: string }[]): string[] {
  const counts = new Map<string, number>()
  for (const { name, text } of files)
    for (const statement of name.endsWith('.sql') ? [text.replace(/--.*$/gm, '').replace(/\s+/g, ' ')] : statementsIn(text)) {
      const found = judge(statement)
      if (found === undefined) continue
      const line = `${name} ${found.kind} ${found.verb || 'part'} ${found.tables.join(' ')}`
      counts.set(line, (counts.get(line) ?? 0) + 1)
    }
  return [...counts].map(([line, count]) => (count === 1 ? line : `${line} ×${count}`)).sort()
}

/** The server's own statements: neither its tests nor the demo, which only runs outside production. */
export const judged = sources.filter(
  ({ name, isTest }) => name.startsWith('server/src/') && /\.(ts|sql)$/.test(name) && !isTest && !/^server\/src\/(demo|dev)\//.test(name),
)

export const HEAD = `# Statements of the server that are not bound to one member: written by npm run many-members, read before it is committed (docs/scale.md).
# file, key or many, verb, tables with rows of members, how often
`

if (import.meta.main) {
  const lines = linesOf(judged)
  writeFileSync(path.join(ROOT, LIST), `${HEAD}${lines.join('\n')}\n`)
  process.stdout.write(`${LIST}: ${lines.filter((line) => line.includes(' many ')).length} places may meet several members at once.\n`)
}
