/**
 * Part of `npm run check`: the subject of every commit since FIRST has at most 72 characters and begins with a capital letter or `docs:`.
 * - Older commits are not checked. Without git, or in a shallow clone without FIRST, nothing is checked, and the output says so.
 */
import { spawnSync } from 'node:child_process'

const FIRST = '7c6304746e1f'
const LENGTH_MAX = 72

const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%s', `${FIRST}..HEAD`], { encoding: 'utf8' })
if (status !== 0) process.stdout.write(`this clone has no commit ${FIRST}: no subject was checked\n`)
for (const subject of status === 0 ? stdout.split('\n').filter(Boolean) : []) {
  const isRight = subject.length <= LENGTH_MAX && /^(?:\p{Lu}|docs: )/u.test(subject)
  if (isRight) continue
  process.stdout.write(
    `${subject}\n  begin with a capital letter or “docs: ”, at most ${LENGTH_MAX} characters (this has ${subject.length})\n`,
  )
  process.exitCode = 1
}
