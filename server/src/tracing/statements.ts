/**
 * The span of a statement. Its name is what the statement writes, or reads or calls first; its text is the sent text, in which
 * each value is a `$1`.
 */
import { activeSpan, inSpan, type Opening } from './spans.ts'

const TEXT_MAX = 2000
const WRITES = /\b(insert into|delete from|update)\s+(\w+)/gi
const READS = /\bfrom\s+([a-z_]\w*)/i
const CALLS = /^\s*select\s+(\w+)\s*\(/i

const openings = new Map<string, Opening>()

/** The words after `for update` and `do update` name no table. */
function summaryOf(text: string): string {
  const plain = text.replaceAll(/\b(for (no key )?update|do update)\b/gi, '')
  const writes = [...plain.matchAll(WRITES)].map(([, verb = '', table = '']) => `${verb.split(/\s/)[0]?.toLowerCase()} ${table}`)
  if (writes.length > 0) return [...new Set(writes)].join(', ')
  const word = /\w+/.exec(plain)?.[0].toLowerCase() ?? ''
  const read = CALLS.exec(plain)?.[1] ?? READS.exec(plain)?.[1]
  if (word !== 'select' && word !== 'with') return word
  return read === undefined ? 'select' : `select ${read}`
}

function openingOf(text: string): Opening {
  const known = openings.get(text)
  if (known !== undefined) return known
  const name = summaryOf(text)
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.summary': name,
    'db.query.text': text.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_MAX),
  }
  const opening: Opening = { name, kind: 'client', attributes }
  openings.set(text, opening)
  return opening
}

/** Recorded only inside a trace: due work that finds nothing due opens none. */
export const inStatement = <T>(text: string, run: () => Promise<T>): Promise<T> =>
  activeSpan() === undefined ? run() : inSpan(openingOf(text), run)
