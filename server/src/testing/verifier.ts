/**
 * The published files of a test's own server, checked by programs that share no code with it: the
 * command line of verifier/ and the Python twin in spec/. Real processes, over HTTP.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { QUICKNET } from '../adapters/beacon/chain.ts'

const CLI = fileURLToPath(new URL('../../../verifier/src/cli.ts', import.meta.url))
const TWIN = fileURLToPath(new URL('../../../spec/verify.py', import.meta.url))

export type Verdict = { readonly code: number; readonly text: string }
export const VERDICT = { pass: 0, fail: 2, weak: 3, incomplete: 4 } as const

const run = (program: string, args: readonly string[]): Promise<Verdict> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: 120_000, maxBuffer: 8 << 20 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, text: `${stdout}${stderr}` })
    })
  })

export type Asked = {
  /** Of the test's server, as `http://127.0.0.1:1234`. */
  readonly url: string
  readonly day: string
  /** A chain that is trusted in the place of quicknet. */
  readonly chainHash?: string
}

const chainOf = ({ chainHash = QUICKNET.chainHash }: Asked): string[] => (chainHash === QUICKNET.chainHash ? [] : ['--chain', chainHash])

export const verifyDay = (asked: Asked, ...more: string[]): Promise<Verdict> =>
  run(process.execPath, [CLI, `${asked.url}/api/public`, asked.day, ...chainOf(asked), ...more])

/** The second program: all but the beacon's own signature, which is then given to it. */
export const verifyDayByTwin = (asked: Asked, ...more: string[]): Promise<Verdict> =>
  run('python3', [TWIN, `${asked.url}/api/public`, asked.day, ...chainOf(asked), ...more])
