/**
 * Runs the verifier in a worker, so that the page of a day with a million tickets still scrolls.
 * - It has its own content security policy.
 * - It requests only published files and stores nothing.
 */
import { MalformedError } from '@roz/verifier/bytes.ts'
import { readReceipt } from '@roz/verifier/receipt.ts'
import { urlSource } from '@roz/verifier/sources.ts'
import { type Progress, type Report, verifyDay, type VerifyOptions } from '@roz/verifier/verify.ts'

export type Job = {
  /** The absolute address of /api/public/. */
  readonly base: string
  readonly day: string
  readonly logKey?: string
  readonly kept?: NonNullable<VerifyOptions['kept']>
  readonly receipt?: Uint8Array
}
export type WorkerMessage =
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'no-receipt' }
  | { readonly kind: 'broken'; readonly words: string }

/** 25 reports per second are enough for the progress bar. */
const TELL_MS = 40

const tell = (told: WorkerMessage): void => self.postMessage(told)

self.addEventListener('message', ({ data }: MessageEvent<Job>) => void work(data))

async function work({ base, day, logKey, kept, receipt }: Job): Promise<void> {
  let toldMs = 0
  const onProgress = (progress: Progress): void => {
    const nowMs = performance.now()
    if (nowMs - toldMs < TELL_MS && progress.done !== progress.total) return
    toldMs = nowMs
    tell({ kind: 'progress', progress })
  }
  try {
    const report = await verifyDay(urlSource(base), day, {
      onProgress,
      ...(logKey === undefined ? {} : { logKey }),
      ...(kept === undefined ? {} : { kept }),
      ...(receipt === undefined ? {} : { receipt: readReceipt(receipt) }),
    })
    tell({ kind: 'report', report })
  } catch (error) {
    tell(error instanceof MalformedError ? { kind: 'no-receipt' } : { kind: 'broken', words: String(error) })
  }
}
