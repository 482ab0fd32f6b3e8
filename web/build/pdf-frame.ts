/**
 * Builds the page of the frame that draws PDFs: one file that needs no other.
 * - The script is inline, so the page's policy names its hash and permits nothing else.
 */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { build, type InlineConfig, type Rolldown } from 'vite'

/** The highest takes ten times as long, for a twelfth less. */
const QUALITY = 9

/** Writes pdf-frame.html with its Brotli copy, and returns the hash of its script. */
export async function writePdfFrame(source: string, out: string, common: InlineConfig): Promise<string> {
  const built = await build({
    ...common,
    plugins: [],
    build: {
      ...common.build,
      write: false,
      rolldownOptions: { checks: { pluginTimings: false }, input: { frame: source }, output: { codeSplitting: false } },
    },
  })
  const [chunk, ...others] = (built as Rolldown.RolldownOutput).output
  if (others.length > 0) throw new Error(`the frame needs more than one file: ${others.map(({ fileName }) => fileName).join(', ')}`)
  // Only inside strings; as they are they would end or hide the script.
  const script = chunk.code.replaceAll('</script', String.raw`<\/script`).replaceAll('<!--', String.raw`<\!--`)
  const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>PDF</title><script type="module">${script}</script></html>`
  const file = path.join(out, 'pdf-frame.html')
  await writeFile(file, html)
  await writeFile(`${file}.br`, await promisify(brotliCompress)(html, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }))
  return `sha256-${createHash('sha256').update(script).digest('base64')}`
}
