/**
 * Verifies the published files of a test's server with programs that share no code with the server.
 * - The programs are the command line of verifier/ and its Python twin spec/verify.py.
 * - They run as real processes over HTTP.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { QUICKNET } from '../adapters/beacon/chain.ts'
import { type Db, sql } from '../db/sql.ts'

const CLI = fileURLToPath(new URL('../../../verifier/src/cli.ts', import.meta.url))
const TWIN = fileURLToPath(new URL('../../../spec/verify.py', import.meta.url))

type Verdict = { readonly code: number; readonly text: string }
export const VERDICT = { pass: 0, fail: 2, weak: 3, incomplete: 4 } as const

const run = (program: string, args: readonly string[]): Promise<Verdict> =>
  new Promise((resolve) => {
    execFile(program, args, { timeout: 120_000, maxBuffer: 8 << 20 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, text: `${stdout}${stderr}` })
    })
  })

type Asked = {
  /** Base address of the test's server: `http://127.0.0.1:1234`. */
  readonly url: string
  readonly day: string
  /** A trusted chain instead of quicknet. */
  readonly chainHash?: string
}

const chainOf = ({ chainHash = QUICKNET.chainHash }: Asked): string[] => (chainHash === QUICKNET.chainHash ? [] : ['--chain', chainHash])

export const verifyDay = (asked: Asked, ...more: string[]): Promise<Verdict> =>
  run(process.execPath, [CLI, `${asked.url}/api/public`, asked.day, ...chainOf(asked), ...more])

/** Verifies a day with the Python program. */
export const verifyDayByTwin = (asked: Asked, ...more: string[]): Promise<Verdict> =>
  run('python3', [TWIN, `${asked.url}/api/public`, asked.day, ...chainOf(asked), ...more])

/** The part of the verifier's API used here. The verifier is compiled for browsers, so its own types cannot be imported. */
type Verifier = {
  readonly verifyDay: (
    source: object,
    day: string,
    options: { readonly chainHash: string },
  ) => Promise<{
    readonly exitCode: number
    readonly steps: readonly { readonly step: string; readonly state: string; readonly words: string }[]
  }>
  readonly urlSource: (base: string) => object
}
const load = async (): Promise<Verifier> => {
  const part = (name: string): Promise<object> =>
    import(new URL(`../../../verifier/src/${name}.ts`, import.meta.url).href) as Promise<object>
  return { ...(await part('verify')), ...(await part('sources')) } as Verifier
}

/** The root that follows from a leaf and its inclusion path; undefined where the path's length is wrong. */
export const { rootFromInclusion } = (await import(new URL('../../../verifier/src/merkle.ts', import.meta.url).href)) as {
  rootFromInclusion: (leaf: Uint8Array, index: number, size: number, path: readonly Uint8Array[]) => Uint8Array | undefined
}

const DAYS_CHECKED = 3

/**
 * Verifies the newest settled or void days of a test with the verifier's own code, and returns how many have their books.
 * - A day with its books must pass or be weak, with no failed or incomplete step.
 * - A day without its books, for which the test did not wait, must be incomplete with no failed step.
 */
export async function expectDaysHold(
  db: Db,
  { url, chainHash = QUICKNET.chainHash }: Omit<Asked, 'day'>,
  most = DAYS_CHECKED,
): Promise<number> {
  const days = await db.query<{ day: string; hasBooks: boolean }>(sql`
    select round.day, books_day.day is not null as "hasBooks" from round left join books_day using (day) where status in ('settled', 'void')
    order by status = 'settled' desc, books_day.day is not null desc, round.day desc limit ${most}::int`)
  if (days.length === 0) return 0
  const { verifyDay: check, urlSource } = await load()
  for (const { day, hasBooks } of days) {
    const { exitCode, steps } = await check(urlSource(`${url}/api/public/`), day, { chainHash })
    const told = steps.filter(({ state }) => state === 'fail' || (hasBooks && state === 'incomplete'))
    const sound = hasBooks ? [VERDICT.pass, VERDICT.weak] : [VERDICT.incomplete]
    expect({ day, exitCode, told }).toEqual({ day, exitCode: expect.toBeOneOf(sound), told: [] })
  }
  return days.filter(({ hasBooks }) => hasBooks).length
}
