/**
 * The environment with the files that it names.
 * - `.env` in the folder of the start, or else beside the program, has settings too. What the environment has wins.
 * - `NAME_FILE` names a file with the value of a secret, as container runtimes mount one.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { ConfigError, type Environment } from './config.ts'
import { defaultOf, SETTINGS } from './declared.ts'

/** The checkout, or the folder of the installed server. */
const PROGRAM = path.resolve(import.meta.dirname, '../../..')

/** Throws ConfigError if a file cannot be read, or a secret is given twice. */
export function withFiles(env: Environment, folder: string): Environment {
  const complaints: string[] = []
  const all: Record<string, string | undefined> = { ...fromFile(env, folder, complaints) }
  for (const [name, value] of Object.entries(env)) if (value !== undefined) all[name] = value
  for (const [name, { secret }] of SETTINGS) {
    const file = all[`${name}_FILE`]?.trim() ?? ''
    if (file === '') continue
    if (secret !== true) complaints.push(`${name}_FILE: only a secret may come from a file; set ${name}`)
    else if ((all[name]?.trim() ?? '') !== '') complaints.push(`${name} and ${name}_FILE are both set: keep one`)
    else all[name] = contentOf(`${name}_FILE`, path.resolve(folder, file), complaints)?.trim()
  }
  if (complaints.length > 0) throw new ConfigError(complaints)
  return all
}

function fromFile(env: Environment, folder: string, complaints: string[]): Environment {
  const named = env.ENV_FILE?.trim() ?? ''
  if (named === 'none') return {}
  const places = named === '' ? [folder, PROGRAM].map((place) => path.join(place, defaultOf('ENV_FILE'))) : [path.resolve(folder, named)]
  const file = places.find((place) => existsSync(place)) ?? (named === '' ? undefined : places[0])
  const content = file === undefined ? undefined : contentOf('ENV_FILE', file, complaints)
  return content === undefined ? {} : parseEnv(content)
}

/** The complaint names the file, never its content. */
function contentOf(name: string, file: string, complaints: string[]): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    complaints.push(`${name}: the file “${file}” cannot be read`)
    return undefined
  }
}
