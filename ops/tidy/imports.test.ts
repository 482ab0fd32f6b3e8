/**
 * The table of folders in docs/architecture.md says what each may import, and the code keeps to it.
 * - Every folder of core, contract, server, web, gateway-sandbox and verifier has a row. Test code may import more.
 * - A name in backquotes is a folder beside the row's own, a package, or a file; `*` and `<name>` stand for any part of a path.
 */
import { expect, test } from 'vitest'
import { code, text } from './source.ts'

type Row = { readonly folders: readonly string[]; readonly allowed: readonly RegExp[]; readonly isFree: boolean }

const PACKAGES = ['core', 'contract', 'verifier', 'gateway-sandbox', 'server', 'web', 'ops']
const inBackquotes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, found]) => found as string)
const inRegExp = (path: string): string =>
  path
    .split(/\*|<name>/)
    .map((part) => part.replace(/[.()]/g, '\\$&'))
    .join('[^/]+')

/** `server/src/members/`, `mail/`: the second stands beside the first. */
function foldersOf(cell: string): string[] {
  const named = inBackquotes(cell)
  const beside = (named[0] ?? '').replace(/[^/]+\/$/, '')
  return named.map((folder, index) => (index === 0 || PACKAGES.includes(folder.split('/')[0] as string) ? folder : `${beside}${folder}`))
}

function patternOf(name: string, folder: string): RegExp {
  const isWhole = PACKAGES.includes(name.split('/')[0] as string)
  const root = isWhole ? '' : `${folder.split('/').slice(0, 2).join('/')}/`
  return new RegExp(`^${inRegExp(root + name)}${/\.tsx?$/.test(name) ? '$' : '/'}`)
}

function rowsOf(document: string): Row[] {
  return document
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const cells = line.split('|').map((cell) => cell.trim())
      const folders = foldersOf(cells[1] ?? '')
      const allowed = inBackquotes(cells[3] ?? '').map((name) => patternOf(name, folders[0] ?? ''))
      return { folders, allowed, isFree: cells[3] === 'everything' }
    })
}

const matches = (folder: string, file: string): boolean =>
  folder.endsWith('/') ? new RegExp(`^${inRegExp(folder)}`).test(file) : new RegExp(`^${inRegExp(folder)}$`).test(file)
/** The part of a file's path that its row names: `server/src/features/help/`. */
const homeOf = (folder: string, file: string): string => new RegExp(`^${inRegExp(folder)}`).exec(file)?.[0] ?? ''

/** The rows whose folder has the file: the longest decides. */
function rowOf(rows: readonly Row[], file: string): { readonly row: Row; readonly home: string } | undefined {
  const [found] = rows
    .flatMap((row) => row.folders.filter((folder) => matches(folder, file)).map((folder) => ({ row, home: homeOf(folder, file) })))
    .sort((one, other) => other.home.length - one.home.length)
  return found
}

function strayImports(rows: readonly Row[], files: readonly { readonly name: string; readonly targets: readonly string[] }[]): string[] {
  return files.flatMap(({ name, targets }) => {
    const found = rowOf(rows, name)
    if (found === undefined) return [`${name} has no row`]
    const { row, home } = found
    return targets
      .filter((target) => !row.isFree && !target.startsWith(home) && !row.allowed.some((pattern) => pattern.test(target)))
      .map((target) => `${name} imports ${target}`)
  })
}

const TABLE = [
  '| `core/` | rules | nothing of ours |',
  '| `server/src/mail/`, `staff/` | people | `core`, `adapters/*/port.ts` |',
  '| `server/src/features/<name>/` | subjects | `core`, `mail` |',
].join('\n')

test('an import that the table does not name is found, and a folder without a row', () => {
  const files = [
    { name: 'core/src/a.ts', targets: ['core/src/b.ts', 'server/src/mail/m.ts'] },
    { name: 'server/src/staff/s.ts', targets: ['server/src/adapters/mail/port.ts', 'server/src/adapters/mail/smtp.ts'] },
    { name: 'server/src/features/help/h.ts', targets: ['server/src/features/help/x.ts', 'server/src/features/push/p.ts', 'core/src/a.ts'] },
    { name: 'server/src/new/n.ts', targets: [] },
  ]
  expect(strayImports(rowsOf(TABLE), files)).toEqual([
    'core/src/a.ts imports server/src/mail/m.ts',
    'server/src/staff/s.ts imports server/src/adapters/mail/smtp.ts',
    'server/src/features/help/h.ts imports server/src/features/push/p.ts',
    'server/src/new/n.ts has no row',
  ])
})

/** The one import that runs the sandbox in the server's process, outside production, is of start.ts, which may import everything. */
const isBound = (name: string): boolean => /^(core|contract|server|web|gateway-sandbox|verifier|ops)\/.*\//.test(name)

test('every folder imports only what docs/architecture.md says', () => {
  const files = code
    .filter(({ name, isTest }) => !isTest && isBound(name))
    .map(({ name, imports }) => ({ name, targets: imports.flatMap(({ target }) => (target === undefined ? [] : [target])) }))
  const found = strayImports(rowsOf(text('docs/architecture.md')), files)
  expect(
    found,
    'Move shared code down or send it as a job; or the table of docs/architecture.md gets the new arrow, with a reason.',
  ).toEqual([])
})
