/**
 * The verifying program as one file that any Node from 20 on runs: `node verifier/build.ts <folder>`.
 * Invariant: the same sources give the same bytes, so that its hash can be printed and logged.
 */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'

const HEADER = `#!/usr/bin/env node
/* roz-verify: checks a day's draw and books from their published files. For Node 20 and newer.
   Written from the protocol alone; its sources lie in verifier/. Keep your own copy and its hash. */
`

export type Program = { readonly code: string; readonly sha256: string }

export async function buildProgram(): Promise<Program> {
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
        // Names of folders would make other bytes in another place.
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

/** Beside what else is served: the program, and its hash for sha256sum -c. */
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
