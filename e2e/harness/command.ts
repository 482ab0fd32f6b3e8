/** Runs a command of an operator as its own process, on a data folder or with the settings of its database. */
import { startChild } from './program.ts'

type Ran = { readonly code: number | null; readonly text: string }

export async function runCommand(place: string | Readonly<Record<string, string>>, ...words: string[]): Promise<Ran> {
  const child = startChild('server/src/main.ts', words, typeof place === 'string' ? { DATA_DIR: place } : place)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (text += String(chunk)))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, text }
}
