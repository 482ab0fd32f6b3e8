/**
 * Measures `npm start` as a user types it, from the command to the first answer of /readyz.
 *
 * - The first start may install and build, and makes the database. It is not measured.
 * - `endStarts` ends every process of a start that was interrupted.
 */
import path from 'node:path'
import { freePorts } from '../../e2e/harness/program.ts'
import { endAll as endStarts, launch, nothingLeft } from '../../ops/launch/launched.ts'

const GONE_MS = 30_000

export { endStarts }

/** Seconds of each start. The data are in a folder below `folder`. */
export async function secondStarts(folder: string, repeats: number): Promise<number[]> {
  const seconds: number[] = []
  for (let start = 0; start <= repeats; start++) {
    const roz = launch({ port: await freePorts(), dataDir: path.join(folder, 'second-start'), env: { DEMO: '1' } })
    const readyMs = await roz.ready()
    if (start > 0) seconds.push(readyMs / 1000)
    roz.tellGroup('SIGINT')
    await roz.ended
    if ((await nothingLeft(roz, GONE_MS)).length > 0) throw new Error(`npm start did not end:\n${roz.output()}`)
  }
  return seconds
}
