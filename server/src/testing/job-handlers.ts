/** A test's worker, and its job handlers: the test's own, and for all other kinds a handler that only records the job. */
import { pino } from 'pino'
import { type Db, sql } from '../db/sql.ts'
import type { JobKind } from '../jobs/queue.ts'
import { createWorker, JOB_KINDS, type JobHandlers, type WorkerDeps } from '../jobs/worker.ts'

export type KeptJob = { readonly kind: JobKind; readonly payload: Readonly<Record<string, unknown>> }

export function keepJobs(kept: KeptJob[], own: Partial<JobHandlers> = {}): JobHandlers {
  const keeping = JOB_KINDS.map((kind) => [
    kind,
    async (payload: object): Promise<void> => void kept.push({ kind, payload: { ...payload } }),
  ])
  // Object.fromEntries forgets its keys; JOB_KINDS has all of them.
  return { ...(Object.fromEntries(keeping) as JobHandlers), ...own }
}

/** A worker that keeps the product's time and logs nothing. */
export const createTestWorker = (db: Db, deps: Pick<WorkerDeps, 'handlers' | 'clockwork'> & Partial<WorkerDeps>) =>
  createWorker({
    db,
    now: async () => (await db.one<{ now: Date }>(sql`select roz_now() as now`)).now,
    log: pino({ level: 'silent' }),
    ...deps,
  })
