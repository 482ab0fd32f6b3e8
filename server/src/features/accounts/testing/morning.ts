/** A morning of the team: what waits is recorded by two persons, and what does not fit is closed. */
import { forgetAlone } from '../../../testing/database.ts'
import type { SettlementWorld } from '../../../testing/settlement-world.ts'

type Asked = { readonly id: string; readonly status: string }

export async function settleMorning(world: SettlementWorld): Promise<void> {
  // Oldest first: what the gateway owes reaches for each.
  for (const { id, amount, fee } of (await world.settlements('?status=to_record')).toReversed() as {
    id: string
    amount: number
    fee: number
  }[]) {
    const { entry } = (await world.ask(`POST /admin/gateway-settlements/${id}/record`, world.finance, { amount, fee })).body
    if (entry === undefined) throw new Error(`settlement ${id} was not recorded`)
    if (entry.status === 'requested')
      await world.ask(`POST /admin/house-entries/${entry.id}/approve`, world.owner, {
        status: 'requested',
        ...(entry.seen === undefined ? {} : { seen: entry.seen }),
      })
  }
  for (const { id } of (await world.findings()) as Asked[]) {
    const close = (as: bigint, status: string) => world.ask(`POST /admin/findings/${id}/close`, as, { status, reason: 'Looked at' })
    const { finding } = (await close(world.finance, 'open')).body
    if (finding.status === 'awaiting_second') await close(world.owner, 'awaiting_second')
  }
  await forgetAlone(world.database)
}
