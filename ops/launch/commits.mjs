/**
 * Part of `npm run check`: the subject of every commit since FIRST is imperative and has at most 72 characters.
 * - Older commits are not checked.
 * - Without git, or in a shallow clone without FIRST, nothing is checked, and the output says so.
 */
import { spawnSync } from 'node:child_process'
import { pathToFileURL } from 'node:url'

const FIRST = 'c13a9bd74b35'
const LENGTH_MAX = 72
/** Words that begin a statement about the code. A subject must say what the commit does to the code. */
const NOT_VERBS = new Set(
  'a an the all any each every no not none it its this that these those there what who where when whoever how why if in on at of for with without after before one two more'.split(
    ' ',
  ),
)
const VERBS_IN_ED_OR_ING = new Set('bring embed exceed feed need ping ring seed shed speed string'.split(' '))

/** The fault of a subject, or undefined if it has none. */
export function subjectFault(subject) {
  if (subject.length > LENGTH_MAX) return `has ${subject.length} characters, ${LENGTH_MAX} are allowed`
  const first = /^\p{Lu}[\p{L}'’-]*/u.exec(subject)?.[0]
  if (first === undefined) return 'does not begin with a capital letter'
  const word = first.toLowerCase()
  const isParticiple = /(ed|ing)$/.test(word) && !VERBS_IN_ED_OR_ING.has(word)
  return NOT_VERBS.has(word) || isParticiple ? 'is not imperative: begin with a verb, as in “Refuse a second join”' : undefined
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${FIRST}..HEAD`], { encoding: 'utf8' })
  if (status !== 0) process.stdout.write(`this clone has no commit ${FIRST}: no subject was checked\n`)
  for (const line of status === 0 ? stdout.split('\n').filter(Boolean) : []) {
    const [hash] = line.split(' ', 1)
    const fault = subjectFault(line.slice(hash.length + 1))
    if (fault === undefined) continue
    process.stdout.write(`${line}\n  ${fault}\n`)
    process.exitCode = 1
  }
}
