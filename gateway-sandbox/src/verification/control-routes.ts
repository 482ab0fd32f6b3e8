/** Control calls of bank details: what the bank says of a UPI ID, an account or an IFSC, and the checks that were made of it. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from '../calls.ts'
import { parse } from '../control-views.ts'
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

type UpiPath = { Params: { vpa: string } }
type AccountPath = { Params: { ifsc: string; account: string } }
type IfscPath = { Params: { ifsc: string } }

export function verificationControl(app: FastifyInstance, { store }: Parts): void {
  app.post<UpiPath>('/upi-ids/:vpa', (request) => {
    const { vpa } = request.params
    store.put({ kind: 'upiId', value: { vpa, ...parse(upiWord, request.body) } })
    return upiView(store, vpa)
  })
  app.get<UpiPath>('/upi-ids/:vpa', (request) => upiView(store, request.params.vpa))
  app.post<AccountPath>('/bank-accounts/:ifsc/:account', (request) => {
    store.put({ kind: 'bankAccount', value: { ...request.params, ...parse(accountWord, request.body) } })
    return accountView(store, request.params)
  })
  app.get<AccountPath>('/bank-accounts/:ifsc/:account', (request) => accountView(store, request.params))
  app.post<IfscPath>('/ifsc/:ifsc', (request) => {
    store.put({ kind: 'ifsc', value: { ...request.params, ...parse(ifscWord, request.body) } })
    return ifscView(store, request.params.ifsc)
  })
  app.get<IfscPath>('/ifsc/:ifsc', (request) => ifscView(store, request.params.ifsc))
}

type View = Record<string, unknown>
const upiView = (store: Store, vpa: string): View => ({ ...findUpiId(store, vpa), checks: checksOf(store, vpa) })
const accountView = (store: Store, { account, ifsc }: AccountPath['Params']): View => ({
  ...findBankAccount(store, account, ifsc),
  checks: checksOf(store, accountKey({ account, ifsc })),
})
const ifscView = (store: Store, ifsc: string): View => ({ ...findIfsc(store, ifsc), checks: checksOf(store, ifsc) })
