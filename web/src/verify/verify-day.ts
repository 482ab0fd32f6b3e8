/** Starts a worker for each check: of a day, or of the member's own entry. */
import type { MyTicket } from '@roz/verifier/my-ticket.ts'
import type { Progress, Report } from '@roz/verifier/verify.ts'
import { publicBase } from './published.ts'
import type { TicketJob, TicketTold } from './ticket-worker.ts'
import type { Job, WorkerMessage } from './verify-worker.ts'

/** The given file is not a receipt. */
export class NoReceiptError extends Error {
  override readonly name = 'NoReceiptError'
}

export function checkDay(job: Omit<Job, 'base'>, onProgress: (progress: Progress) => void = () => undefined): Promise<Report> {
  const worker = new Worker(new URL('./verify-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<Report>((resolve, reject) => {
    worker.addEventListener('error', (event) => reject(new Error(`the worker stopped: ${event.message}`)))
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.kind === 'progress') onProgress(data.progress)
      else if (data.kind === 'report') resolve(data.report)
      else reject(data.kind === 'no-receipt' ? new NoReceiptError() : new Error(data.words))
    })
    worker.postMessage({ ...job, base: publicBase() } satisfies Job)
  }).finally(() => worker.terminate())
}

export function checkOwnTicket(job: Omit<TicketJob, 'base'>): Promise<MyTicket> {
  const worker = new Worker(new URL('./ticket-worker.ts', import.meta.url), { type: 'module' })
  return new Promise<MyTicket>((resolve, reject) => {
    worker.addEventListener('error', (event) => reject(new Error(`the worker stopped: ${event.message}`)))
    worker.addEventListener('message', ({ data }: MessageEvent<TicketTold>) => {
      if ('found' in data) resolve(data.found)
      else reject(new Error(data.broken))
    })
    worker.postMessage({ ...job, base: publicBase() } satisfies TicketJob)
  }).finally(() => worker.terminate())
}
