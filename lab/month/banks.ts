/**
 * The evening of the banks and the gateway: they decide what waits, settle the day, and sometimes take something back.
 * - `isWell`: everything that waits ends as its payer or receiver wants it, so that nothing is open afterwards.
 */
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Dice } from '../faults/random.ts'
import type { Bank } from './bank.ts'
import {
  type GatewayBooks,
  openAttempts,
  openCharges,
  openChargeRefunds,
  openDisputes,
  openRefunds,
  openTransfers,
} from './gateway-books.ts'
import type { World } from './world.ts'

type Evening = { readonly day: IstDay; readonly isWell: boolean }
const HOUR_MS = 3_600_000

export function createBanks({ world, books, bank, dice }: { world: World; books: GatewayBooks; bank: Bank; dice: Dice }) {
  const { press } = world

  async function decideRefunds(pays: (share: number) => boolean): Promise<void> {
    for (const { refundId } of openRefunds(books)) await press(`/refunds/${refundId}`, { status: pays(0.85) ? 'SUCCESS' : 'FAILED' })
    for (const { refundId } of openChargeRefunds(books))
      await press(`/charge-refunds/${refundId}`, { status: pays(0.85) ? 'SUCCESS' : 'FAILED' })
  }

  /** Ends what waits at payers' and receivers' banks. */
  async function decide({ isWell }: Evening): Promise<void> {
    const well = (share: number): boolean => isWell || dice.chance(share)
    for (const { orderId, startedAtMs } of openAttempts(books))
      if (isWell || startedAtMs < world.nowMs() - HOUR_MS)
        await press(`/orders/${orderId}/pay`, { outcome: dice.chance(0.5) ? 'success' : 'failed' })
    await decideRefunds(well)
    for (const { transferId } of openTransfers(books)) await press(`/transfers/${transferId}`, { status: well(0.8) ? 'SUCCESS' : 'FAILED' })
    for (const { disputeId } of openDisputes(books))
      if (isWell || dice.chance(0.4)) await press(`/disputes/${disputeId}`, { step: dice.chance(0.5) ? 'MERCHANT_LOST' : 'MERCHANT_WON' })
    if (isWell)
      for (const { paymentId, type } of openCharges(books)) if (type === 'AUTH') await press(`/charges/${paymentId}`, { status: 'FAILED' })
  }

  /** Sends back some money that had come. */
  async function takeBack(): Promise<void> {
    for (const { transferId, status } of books.transfer.values())
      if (status === 'SUCCESS' && dice.chance(0.01)) await press(`/transfers/${transferId}`, { status: 'REVERSED' })
    const [newest] = [...books.settlement.values()].filter(({ status }) => status === 'SUCCESS').slice(-1)
    if (newest !== undefined && dice.chance(0.15))
      await press(`/settlements/${newest.settlementId}`, { status: 'REVERSED', reason: 'ACCOUNT_CLOSED' })
  }

  /** A payer disputes a payment of the last days. */
  async function dispute(share: number): Promise<void> {
    for (const { orderId, status, startedAtMs } of books.attempt.values())
      if (status === 'SUCCESS' && startedAtMs > world.nowMs() - 24 * HOUR_MS && dice.chance(share))
        await press(`/orders/${orderId}/dispute`, { stage: dice.pick(['CHARGEBACK', 'DISPUTE', 'RETRIEVAL'] as const) })
    for (const { paymentId, status, initiatedAtMs } of books.charge.values())
      if (status === 'SUCCESS' && initiatedAtMs > world.nowMs() - 24 * HOUR_MS && dice.chance(share / 2))
        await press(`/charges/${paymentId}/dispute`, { stage: 'CHARGEBACK' })
  }

  async function settle({ isWell }: Evening): Promise<void> {
    for (const { settlementId, status } of books.settlement.values())
      if (status.startsWith('PENDING'))
        await press(`/settlements/${settlementId}`, { status: isWell || dice.chance(0.8) ? 'SUCCESS' : 'FAILED' })
    if (isWell) return void (await press('/settle'))
    const adjusted = dice.chance(0.2) ? { adjustment: dice.chance(0.8) ? -2 : 1, remarks: 'Rental of the month' } : {}
    const status = dice.chance(0.75) ? 'SUCCESS' : dice.pick(['FAILED', 'PENDING', 'PENDING_WITH_BANK'] as const)
    await press('/settle', { status, ...adjusted })
  }

  return {
    /** Every refund reaches its payer. */
    async decideRefunds(): Promise<void> {
      books.read()
      await decideRefunds(() => true)
    },
    async evening(evening: Evening): Promise<void> {
      books.read()
      await decide(evening)
      if (!evening.isWell) {
        await takeBack()
        await dispute(0.01)
      }
      books.read()
      await settle(evening)
      books.read()
      bank.follow(evening.day)
    },
  }
}
