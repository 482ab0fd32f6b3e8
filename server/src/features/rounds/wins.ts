/**
 * A winner's own rewards, and passing one on to the help fund.
 * - Once per reward, whatever the Idempotency-Key: `passOn` of the ledger decides under the wallet's lock.
 */
import type { roundCalls } from '@roz/contract/rounds.ts'
import { paiseFromRupees, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import type { Db } from '../../db/sql.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import type { Answer, Call } from '../../http/route.ts'
import { leftOf, listRecentPrizes, passOn } from '../../ledger/pass-on.ts'
import { readWallet } from '../../ledger/wallets.ts'

type Wins = Answer<typeof roundCalls.ownWins>
type Passed = Answer<typeof roundCalls.passOn>

export async function ownWins(db: Db, { session: { memberId } }: Call<typeof roundCalls.ownWins>): Promise<Wins> {
  const [prizes, wallet] = await Promise.all([listRecentPrizes(db, memberId), readWallet(db, memberId)])
  const balance = wallet?.balance ?? ZERO
  const wins = prizes.map((prize) => ({
    day: prize.day,
    prize: rupeesFromPaise(prize.amount),
    left: rupeesFromPaise(prize.given === null ? leftOf(prize, balance) : ZERO),
    until: prize.until,
    passedOn: prize.given === null ? null : rupeesFromPaise(prize.given),
  }))
  return { ok: true, value: { wins } }
}

export function passOnWin(idempotency: Idempotency, call: Call<typeof roundCalls.passOn>): Promise<Passed> {
  const { memberId } = call.session
  const { day } = call.params
  const keyed = { memberId, key: call.idempotencyKey, route: `passOn ${day}`, body: call.body }
  return idempotency.once<Passed>(keyed, day, async (tx) => {
    const passed = await passOn(tx, { memberId, day, atMost: paiseFromRupees(call.body.amount) ?? ZERO })
    if (!passed.ok) return { ok: false, code: passed.code === 'may_not_move' ? 'on_hold' : passed.code }
    return { ok: true, value: { passedOn: rupeesFromPaise(passed.value.given), balance: rupeesFromPaise(passed.value.balance) } }
  })
}
