/**
 * `node verifier/build.ts <folder>`: builds the verifier as one file that runs on Node 20 and newer.
 *
 * - The build is reproducible: the same sources give the same bytes in any folder, so the hash can be published and logged.
 */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

const HEADER = `#!/usr/bin/env node
/* roz-verify: checks a day's draw and books from their published files. For Node 20 and newer.
   Written from the protocol alone; its sources are in verifier/. Keep your own copy and its hash. */
`

type Program = { readonly code: string; readonly sha256: string }

async function buildProgram(): Promise<Program> {
  const made = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      write: false,
      minify: false,
      target: 'node20',
      rolldownOptions: {
        // Debug info would contain folder names, and the bytes would depend on them.
        experimental: { attachDebugInfo: 'none' },
        input: { 'roz-verify': 'src/cli.ts' },
        output: { entryFileNames: '[name].mjs', codeSplitting: false, comments: false },
      },
    },
  })
  const [output] = Array.isArray(made) ? made : [made]
  const chunks = output !== undefined && 'output' in output ? output.output : []
  const [chunk] = chunks
  if (chunks.length !== 1 || chunk?.type !== 'chunk') throw new Error('the program is not one file')
  const code = HEADER + chunk.code
  return { code, sha256: createHash('sha256').update(code).digest('hex') }
}

/** Writes the program and its hash (for `sha256sum -c`) into the folder of public files. */
export async function writeProgram(folder: string): Promise<Program> {
  const program = await buildProgram()
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'roz-verify.mjs'), program.code)
  await writeFile(path.join(folder, 'roz-verify.mjs.sha256'), `${program.sha256}  roz-verify.mjs\n`)
  return program
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('name a folder')
  const { sha256 } = await writeProgram(folder)
  process.stdout.write(`${path.join(folder, 'roz-verify.mjs')} ${sha256}\n`)
}
