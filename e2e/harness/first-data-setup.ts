/**
 * Before the tests: starts the program once, so that the other programs start from a copy of its data (first-data.ts).
 * - When that fails, as without a built web, every program makes its own data and the tests report the cause.
 */
import { waitUntil } from '@roz/server/db/embedded/process.ts'
import { keepFirstData, newFirstData } from './first-data.ts'
import { databaseProcesses, endEverything, startUntouched } from './program.ts'

const GONE_MS = 20_000

export async function setup(): Promise<() => void> {
  const first = newFirstData()
  if (first === undefined) return () => undefined
  try {
    const program = await startUntouched({ dataDir: first.dataDir })
    await program.stop()
    if (await waitUntil(() => databaseProcesses(first.dataDir).length === 0, GONE_MS)) keepFirstData()
  } catch {
    await endEverything()
  }
  return first.remove
}
