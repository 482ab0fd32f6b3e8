/** Control calls of bank details: what the bank says of a UPI ID, an account or an IFSC, and the checks that were made of it. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from '../calls.ts'
import { controlsOf } from '../control-views.ts'
import type { Store } from '../store.ts'
import { findBankAccount, findIfsc } from './accounts.ts'
import { accountKey } from './model.ts'
import { checksOf, findUpiId } from './names.ts'

/** Any word: a shop must survive one that the documents do not have. */
const word = z.string().min(1).max(200)
const status = word.default('VALID')
const upiWord = z.strictObject({ name: z.string().min(1).max(100).nullable().default(null), status, result: word.nullable().default(null) })
const accountWord = upiWord.extend({ code: word.nullable().default(null) })
const ifscWord = z.strictObject({ status })

export function verificationControl(app: FastifyInstance, parts: Parts): void {
  const { store } = parts
  const { press, show } = controlsOf(app, parts)
  press('/upi-ids/:vpa', upiWord, (said, { params: { vpa } }) => {
    store.put({ kind: 'upiId', value: { vpa, ...said } })
    return upiView(store, vpa)
  })
  show('/upi-ids/:vpa', ({ params }) => upiView(store, params.vpa))
  press('/bank-accounts/:ifsc/:account', accountWord, (said, { params }) => {
    store.put({ kind: 'bankAccount', value: { ...params, ...said } })
    return accountView(store, params)
  })
  show('/bank-accounts/:ifsc/:account', ({ params }) => accountView(store, params))
  press('/ifsc/:ifsc', ifscWord, (said, { params }) => {
    store.put({ kind: 'ifsc', value: { ...params, ...said } })
    return ifscView(store, params.ifsc)
  })
  show('/ifsc/:ifsc', ({ params }) => ifscView(store, params.ifsc))
}

type View = Record<string, unknown>
const upiView = (store: Store, vpa: string): View => ({ ...findUpiId(store, vpa), checks: checksOf(store, vpa) })
const accountView = (store: Store, { account, ifsc }: { readonly account: string; readonly ifsc: string }): View => ({
  ...findBankAccount(store, account, ifsc),
  checks: checksOf(store, accountKey({ account, ifsc })),
})
const ifscView = (store: Store, ifsc: string): View => ({ ...findIfsc(store, ifsc), checks: checksOf(store, ifsc) })
