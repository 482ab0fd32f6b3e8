/** The record of a measurement: where it was made, and its figures as Markdown in the place that a page of docs/ has for them. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
const END = '<!-- end of figures -->'

/** The measured commit, and whether the checkout has changes to it: pages of earlier figures do not count. */
function commitHere(): string {
  const git = (...words: readonly string[]): string => execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', ':!docs') !== ''
  return git('rev-parse', '--short=12', 'HEAD') + (isChanged ? ' with changes' : '')
}

const machineHere = (): string =>
  `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.version}`

/** The beginning of a sentence about the figures below it. */
export const measuredHere = (): string => `Measured on ${new Date().toISOString().slice(0, 10)} at commit ${commitHere()}: ${machineHere()}`

export const count = (value: number): string => value.toLocaleString('en')

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Puts the figures between the marks of that command on a page of docs/. */
export function writeFigures(page: string, command: string, figures: string): void {
  const file = path.join(ROOT, 'docs', page)
  const begin = `<!-- figures: written by ${command} -->`
  const text = readFileSync(file, 'utf8')
  const from = text.indexOf(begin)
  const to = text.indexOf(END, from)
  if (from < 0 || to < 0) throw new Error(`${file} has no place for the figures of ${command}`)
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${figures}\n\n${text.slice(to)}`)
}
