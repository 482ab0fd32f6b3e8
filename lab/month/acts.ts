/**
 * Members pay, set up AutoPay, join, withdraw, ask for refunds and leave; strangers pay orders that are not ours.
 * - A call that the gateway's fault refuses is no payment: the driver counts what the payer's bank has paid.
 */
import { randomUUID } from 'node:crypto'
import { postJson } from '../../e2e/harness/program.ts'
import type { Dice } from '../faults/random.ts'
import type { GatewayBooks } from './gateway-books.ts'
import type { Member } from './members.ts'
import type { Json, World } from './world.ts'

const GATEWAY_KEYS = { 'x-api-version': '2025-01-01', 'x-client-id': 'sandbox-client', 'x-client-secret': 'sandbox-secret' }
const OUTCOMES = ['failed', 'dropped', 'pending', 'flagged', 'not_attempted', 'void', 'cancelled'] as const

export type Acts = ReturnType<typeof createActs>

export function createActs(world: World, books: GatewayBooks, dice: Dice) {
  const { members } = world
  let strangers = 0
  /** The payer's UPI app shows the mandate. */
  const mandateOf = (member: Member): string | undefined => {
    books.read()
    return books.mandateOf(member.phone)
  }
  /** Webhooks for a press: mostly one, sometimes none. */
  const copies = (): Json => ({ webhooks: dice.chance(0.75) ? 1 : 0 })

  /** Returns whether the payer's bank has paid. */
  async function pay(member: Member): Promise<boolean> {
    const added = await world.call('addMoney', {
      token: member.token,
      key: randomUUID(),
      body: { amount: 10 + dice.below(21), phoneNumber: member.phone },
    })
    if (added.status !== 200) return false
    const { order_id: orderId } = added.output
    const outcome = dice.chance(0.88) ? 'success' : dice.pick(OUTCOMES)
    const paid = await world.press(`/orders/${orderId}/pay`, { outcome, ...copies() })
    if (paid === undefined) return false
    if (dice.chance(0.6)) await world.call('verifyOrder', { token: member.token, params: { orderId } })
    if (outcome !== 'success') return false
    // Two devices had the page open.
    if (dice.chance(0.005)) await world.press(`/orders/${orderId}/pay`, { outcome, again: true, ...copies() })
    return true
  }

  /** Returns whether the gateway has a mandate of the member. */
  async function setUpAutopay(member: Member): Promise<boolean> {
    const begun = await world.call('setUpAutopay', {
      token: member.token,
      key: randomUUID(),
      body: { phoneNumber: member.phone, consent: true },
    })
    if (begun.status !== 200) return false
    return (await authorise(member)) !== undefined
  }

  /** The payer in the UPI app, which knows the mandate by the gateway's page. */
  async function authorise(member: Member): Promise<Json | undefined> {
    const id = mandateOf(member)
    if (id === undefined) return undefined
    const step = dice.chance(0.9) ? 'approve' : dice.pick(['bank_pending', 'debit_first', 'mandate_first', 'decline'] as const)
    const played = await world.press(`/subscriptions/${id}`, { step, ...copies() })
    // A step that was left half done is finished a moment later.
    if (played !== undefined && step !== 'approve') await world.press(`/subscriptions/${id}`, { step: 'approve', ...copies() })
    if (dice.chance(0.5)) await world.call('autopay', { token: member.token })
    return played
  }

  const placeOf = ({ bank, upiId }: Member) =>
    dice.chance(0.5) ? { bankDetail: bank } : { upiDetail: { accountHolderName: bank.accountHolderName, upiId } }
  const withdraw = async (member: Member): Promise<void> =>
    void (await world.call('withdraw', { token: member.token, key: randomUUID(), body: { amount: 10, ...placeOf(member) } }))

  /** Empties the wallet and deletes the account, once nothing of it is pending. Returns whether it is gone. */
  async function leave(member: Member): Promise<boolean> {
    const { token } = member
    await world.call('closeAccount', { token, key: randomUUID(), body: placeOf(member) })
    return (await world.call('deleteAccount', { token })).status === 204
  }

  async function askRefund(member: Member): Promise<void> {
    const listed = await world.call('refunds', { token: member.token })
    // A member who has not come for 30 days is logged out.
    if (listed.status !== 200) return
    const order = listed.output.refundable.find(({ unused }) => unused >= 1)
    if (order === undefined) return
    const amount = 1 + dice.below(Math.floor(order.unused))
    await world.call('requestRefund', {
      token: member.token,
      key: randomUUID(),
      body: { order_id: order.order_id, amount, reason: 'I added too much.' },
    })
  }

  /** Somebody pays an order at the gateway that we never made: only its webhook tells of it. */
  async function payStrange(): Promise<void> {
    const orderId = `strange_${strangers++}_${dice.below(1_000_000)}`
    const order = {
      order_id: orderId,
      order_amount: 10 + dice.below(21),
      order_currency: 'INR',
      customer_details: { customer_id: 'stranger', customer_phone: dice.pick(members).phone },
      order_meta: { notify_url: `${world.roz.url}/api/webhooks/cashfree` },
    }
    const made = await postJson(`${world.roz.sandboxUrl}/pg/orders`, order, GATEWAY_KEYS)
    if (made.ok) await world.press(`/orders/${orderId}/pay`, { outcome: 'success', webhooks: 1 })
  }

  return {
    pay,
    setUpAutopay,
    withdraw,
    leave,
    askRefund,
    payStrange,
    join: async (member: Member): Promise<void> => void (await world.call('joinRound', { token: member.token, body: {} })),
    /** The member's own wishes about AutoPay. */
    async wish(member: Member): Promise<void> {
      const name = dice.pick(['pauseAutopay', 'resumeAutopay', 'retryAutopay', 'stopAutopay'] as const)
      await world.call(name, { token: member.token })
    },
    /** Presses in the UPI app of a member with a mandate. */
    async atBank(member: Member): Promise<void> {
      const id = mandateOf(member)
      if (id === undefined) return
      const steps = dice.pick([['customer_pause', 'customer_resume'], ['customer_cancel'], ['customer_pause']] as const)
      for (const step of steps) await world.press(`/subscriptions/${id}`, { step, ...copies() })
    },
  }
}
