/**
 * Before the tests of pages: builds the web, unless the launcher has, and starts the program once.
 * - The other programs start from a copy of its data (first-data.ts).
 * - When the start fails, every program makes its own data and the tests report the cause.
 */
import { waitUntil } from '@roz/server/db/embedded/process.ts'
import { buildWeb } from '../../ops/launch/web.mjs'
import { keepFirstData, newFirstData } from './first-data.ts'
import { databaseProcesses, endEverything, startUntouched } from './program.ts'

const GONE_MS = 20_000

export async function setup(): Promise<() => void> {
  process.env.WEB_DIR ??= await buildWeb(process.execPath)
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
