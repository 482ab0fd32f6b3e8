/** Saves a failed screen test's pages (picture, HTML) and servers' output in .build/failed/<file>/<test>/. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openPages } from './browser.ts'
import { programsServing, ROOT } from './program.ts'

const PICTURE_MS = 10_000
/** A file system takes names of 255 bytes; a letter has up to 3. */
const NAME_MAX = 80

const nameOf = (words: string): string =>
  words
    .replaceAll(/[^\p{L}\p{M}\p{N}.-]+/gu, '-')
    .slice(0, NAME_MAX)
    .replaceAll(/^-+|-+$/g, '')

/** Returns the folder. A page that crashed or closes meanwhile is left out. */
export async function keepFailure(file: string, test: string): Promise<string> {
  const folder = path.join(ROOT, '.build', 'failed', nameOf(path.basename(file, '.test.ts')), nameOf(test))
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [index, page] of openPages().entries()) {
    const name = path.join(folder, `page-${index + 1}`)
    await page.screenshot({ path: `${name}.png`, timeout: PICTURE_MS }).catch(() => undefined)
    const html = await page.content().catch(() => undefined)
    if (html !== undefined) writeFileSync(`${name}.html`, `<!-- ${page.url()} -->\n${html}`)
  }
  for (const [index, { output }] of programsServing().entries()) writeFileSync(path.join(folder, `server-${index + 1}.log`), output())
  return path.relative(ROOT, folder)
}
