/** Job handlers for a test's worker: the test's own handlers, and for all other kinds a handler that only records the job. */
import type { JobKind } from '../jobs/queue.ts'
import { JOB_KINDS, type JobHandlers } from '../jobs/worker.ts'

export type KeptJob = { readonly kind: JobKind; readonly payload: Readonly<Record<string, unknown>> }

export function keepJobs(kept: KeptJob[], own: Partial<JobHandlers> = {}): JobHandlers {
  const keeping = JOB_KINDS.map((kind) => [
    kind,
    async (payload: object): Promise<void> => void kept.push({ kind, payload: { ...payload } }),
  ])
  // Object.fromEntries forgets its keys; JOB_KINDS has all of them.
  return { ...(Object.fromEntries(keeping) as JobHandlers), ...own }
}
