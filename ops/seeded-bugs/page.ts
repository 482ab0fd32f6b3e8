/**
 * Writes docs/seeded-bugs.md and docs/seeded-bugs.json.
 * - Both describe one complete run of one commit.
 */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Bug, fileOf } from './bug.ts'

export type Row = {
  /** The test that caught the bug, or undefined if none did. */
  readonly by: string | undefined
  readonly file: string
  /** A test of the wider set caught the bug, and not the test that was meant to. */
  readonly wider: boolean
  readonly seconds: number
}
export type Results = {
  readonly commit: string
  readonly machine: string
  readonly at: string
  readonly minutes: number
  readonly rows: Readonly<Record<string, Row>>
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

export function writePage(folder: string, bugs: readonly Bug[], results: Results): void {
  const { commit, machine, at, minutes, rows } = results
  const found = bugs.flatMap((bug) => (rows[bug.name] === undefined ? [] : [{ bug, row: rows[bug.name] as Row }]))
  const caught = found.filter(({ row }) => row.by !== undefined).length
  const lines = found.map(
    ({ bug: { name, file }, row }, index) =>
      `| ${index + 1} | ${cell(name)} | \`${file}\` | ${row.by === undefined ? '**not caught**' : `\`${fileOf(row.file)}\`: ${cell(row.by)}`} | ${row.seconds.toFixed(1)} |`,
  )
  const json = {
    at,
    commit,
    machine,
    minutes,
    bugs: bugs.length,
    caught,
    rows: found.map(({ bug, row }) => ({ name: bug.name, in: bug.file, ...row })),
  }
  writeFileSync(path.join(folder, 'seeded-bugs.json'), `${JSON.stringify(json, undefined, 2)}\n`)
  writeFileSync(
    path.join(folder, 'seeded-bugs.md'),
    `# Seeded bugs

Each bug was written into a copy of the sources, one at a time, and the named test failed. Without the bug the test passes. ${caught} of ${bugs.length} were caught.
This page is written from \`docs/seeded-bugs.json\` by one run of \`npm run seeded-bugs\` at commit \`${commit.slice(0, 12)}\` on ${machine}, ${at}, ${minutes} minutes. The list is
[ops/seeded-bugs](../ops/seeded-bugs/bugs.ts). \`npm run seeded-bugs -- refund\` runs only the bugs whose name or file contains the word, and does not change this page.
An interrupted run continues when it is started again at the same commit.
Bugs that appear only when two operations run at once are tried against every pair of operations in \`interleavings.test.ts\` (\`ROZ_TEST_ALL=1\`). \`npm test\` runs a sample of the pairs.

| # | Bug | Where | Caught by | Seconds |
|---|---|---|---|---|
${lines.join('\n')}
`,
  )
}
