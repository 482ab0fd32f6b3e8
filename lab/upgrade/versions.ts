/**
 * Two versions of the product in folders of their own, as an operator unpacks them beside each other.
 * - The checkout never changes: the new version is a copy of it.
 * - A former version is built once, into `.build/upgrade/<commit>`.
 */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { linkPackages, PRODUCT } from '../bugs/lane.ts'
import type { Version } from '../faults/servers.ts'
import { ROOT, webDir } from '../../e2e/harness/program.ts'
import type { Former } from './history.ts'

const run = promisify(execFile)
const COPIED = [...PRODUCT, 'lab/faults', 'e2e/harness', 'package.json', 'tsconfig.base.json']
/** The files that an old version needs to build and run. Before some of these folders there were others: the load was in `e2e/`. */
const ARCHIVED = [...PRODUCT, 'web', 'e2e', 'lab', 'package.json', 'package-lock.json', 'tsconfig.base.json', '.npmrc']
const VERSION_FILE = 'core/src/version.ts'
const STAMP = '.complete'

type Lock = { readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>> }

const versionOf = (folder: string): string => /VERSION = '([^']+)'/.exec(readFileSync(path.join(folder, VERSION_FILE), 'utf8'))?.[1] ?? ''

/** The next patch, so that two states of one version have two names. */
export const patchAfter = (version: string): string => version.replace(/\d+$/, (patch) => String(Number(patch) + 1))

/** A copy of this checkout under a version's name, with more files on request. */
export function copyOfCheckout(name: string, more: Readonly<Record<string, string>> = {}): Version & { readonly remove: () => void } {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-version-')))
  for (const part of COPIED) cpSync(path.join(ROOT, part), path.join(folder, part), { recursive: true })
  linkPackages(ROOT, folder)
  const file = path.join(folder, VERSION_FILE)
  writeFileSync(file, readFileSync(file, 'utf8').replace(/VERSION = '[^']+'/, `VERSION = '${name}'`))
  for (const [place, text] of Object.entries(more)) writeFileSync(path.join(folder, place), text)
  return { name, folder, webDir: webDir(), remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) }
}

/** The version of this checkout; the next patch if that is the former one's. */
export function nameAfter(former: Version): string {
  const own = versionOf(ROOT)
  return own === former.name ? patchAfter(own) : own
}

/** Unpacks and builds a former version, or finds it built. */
export async function buildFormer({ commit }: Former, say: (line: string) => void): Promise<Version> {
  const folder = path.join(ROOT, '.build', 'upgrade', commit)
  const web = path.join(folder, '.build', 'web')
  if (!existsSync(path.join(folder, STAMP))) {
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    const names = execFileSync('git', ['ls-tree', '--name-only', commit], { cwd: ROOT, encoding: 'utf8' }).split('\n')
    const archive = execFileSync('git', ['archive', commit, ...ARCHIVED.filter((name) => names.includes(name))], {
      cwd: ROOT,
      maxBuffer: 1 << 30,
    })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    await installIn(folder, say)
    say('Building the pages of the former version…')
    await run(process.execPath, ['web/build.ts', '--out', web], { cwd: folder, maxBuffer: 1 << 26 })
    writeFileSync(path.join(folder, STAMP), '')
  }
  return { name: versionOf(folder), folder, webDir: web }
}

/** Links the checkout's packages if the former version has the same; installs its own otherwise. */
async function installIn(folder: string, say: (line: string) => void): Promise<void> {
  const packagesOf = (root: string): Lock['packages'] =>
    (JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock).packages
  const ours = packagesOf(ROOT)
  const foreign = Object.entries(packagesOf(folder)).filter(([place, { link }]) => place.startsWith('node_modules/') && link !== true)
  if (foreign.every(([place, { version }]) => ours[place]?.version === version)) return linkPackages(ROOT, folder)
  say('Installing the packages of the former version…')
  await run('npm', ['ci', '--ignore-scripts', '--include=dev', '--prefer-offline', '--no-audit', '--no-fund'], {
    cwd: folder,
    maxBuffer: 1 << 26,
  })
}
