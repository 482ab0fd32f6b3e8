/** Control calls of UPI IDs: what the bank says of one, and the checks that were made of it. */
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Parts } from '../calls.ts'
import { parse } from '../control-views.ts'
import type { Store } from '../store.ts'
import { checksOf, findUpiId } from './names.ts'

/** Any word: a shop must survive one that the documents do not have. */
const word = z.string().min(1).max(200)
const said = z.strictObject({
  name: z.string().min(1).max(100).nullable().default(null),
  status: word.default('VALID'),
  result: word.nullable().default(null),
})

type UpiPath = { Params: { vpa: string } }

export function verificationControl(app: FastifyInstance, { store }: Parts): void {
  app.post<UpiPath>('/upi-ids/:vpa', (request) => {
    const { vpa } = request.params
    store.put({ kind: 'upiId', value: { vpa, ...parse(said, request.body) } })
    return view(store, vpa)
  })
  app.get<UpiPath>('/upi-ids/:vpa', (request) => view(store, request.params.vpa))
}

const view = (store: Store, vpa: string): Record<string, unknown> => ({
  ...findUpiId(store, vpa),
  checks: checksOf(store, vpa).map(({ verificationId, utr }) => ({ verification_id: verificationId, utr })),
})
