/** Measures how much of the processor programs other than the measured ones take: whether the machine was idle beside a run. */
import { cpus } from 'node:os'

/** Processor time of the whole machine so far in ms, without idle time. */
const busyMs = (): number => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)

/** `ownMs`: processor time so far of all measured programs. The result gives the cores that others took since, on average. */
export function watchOtherLoad(ownMs: () => number): () => number {
  const [busy, own, since] = [busyMs(), ownMs(), performance.now()]
  return () => Math.max(0, (busyMs() - busy - (ownMs() - own)) / (performance.now() - since))
}
