/**
 * Checks the member's entry in a worker: one signature takes a slow phone 100 ms, in which a screen would freeze.
 * - It requests only published files and stores nothing.
 */
import { checkMyTicket, type MyTicket, type MyTicketInput } from '@roz/verifier/my-ticket.ts'
import { urlSource } from '@roz/verifier/sources.ts'

export type TicketJob = Omit<MyTicketInput, 'source'> & {
  /** The absolute address of /api/public/. */
  readonly base: string
  /** Bypasses every cache. */
  readonly isAnew: boolean
}
export type TicketTold = { readonly found: MyTicket } | { readonly broken: string }

self.addEventListener('message', ({ data }: MessageEvent<TicketJob>) => void work(data))

async function work({ base, isAnew, ...input }: TicketJob): Promise<void> {
  const source = urlSource(base)
  const told: TicketTold = await checkMyTicket({ ...input, source: (isAnew ? source.again?.() : undefined) ?? source }).then(
    (found) => ({ found }),
    (error: unknown) => ({ broken: String(error) }),
  )
  self.postMessage(told)
}
