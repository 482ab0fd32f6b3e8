/**
 * The gateway's API for payouts, under /payout.
 * - The payouts account has its own keys and API version (account-calls.ts).
 */
import type { FastifyInstance } from 'fastify'
import { admitAccount } from './account-calls.ts'
import { answer, type Parts } from './calls.ts'
import { advanceTransfers, playNewTransfer } from './moves.ts'
import { readNewBeneficiary, readNewTransfer, readPayoutQuestion } from './payout-fields.ts'
import { beneficiaryEntity, transferEntity, validationEntity } from './payout-entities.ts'
import {
  createBeneficiary,
  readBeneficiary,
  readBeneficiaryByAccount,
  readTransfer,
  readTransferByCfId,
  setBeneficiary,
  validatePayout,
} from './payouts.ts'
import { missing } from './refusals.ts'

type Query = { Querystring: Readonly<Record<string, string | string[] | undefined>> }

export function payoutRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, payouts } = parts
  admitAccount(app, parts, payouts, '2024-01-01')
  app.post('/beneficiary', (request, reply) =>
    answer(parts, reply.code(201), (nowMs) => beneficiaryEntity(createBeneficiary(store, readNewBeneficiary(request.body), nowMs))),
  )
  app.get<Query>('/beneficiary', (request, reply) =>
    answer(parts, reply, () => {
      const account = one(request.query.bank_account_number)
      const ifsc = one(request.query.bank_ifsc)
      return beneficiaryEntity(
        account !== undefined && ifsc !== undefined
          ? readBeneficiaryByAccount(store, account, ifsc)
          : readBeneficiary(store, needed(request.query.beneficiary_id, 'beneficiary_id')),
      )
    }),
  )
  app.delete<Query>('/beneficiary', (request, reply) =>
    answer(parts, reply, () => beneficiaryEntity(setBeneficiary(store, needed(request.query.beneficiary_id, 'beneficiary_id'), 'DELETED'))),
  )
  app.post('/validatePayout', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      const question = readPayoutQuestion(request.body)
      return validationEntity(question.vpa, validatePayout(store, question, nowMs))
    }),
  )
  app.post('/transfers', (request, reply) =>
    answer(parts, reply, (nowMs) => transferEntity(playNewTransfer(parts, readNewTransfer(request.body), nowMs))),
  )
  app.get<Query>('/transfers', (request, reply) =>
    answer(parts, reply, (nowMs) => {
      advanceTransfers(parts, nowMs)
      const cfId = one(request.query.cf_transfer_id)
      return transferEntity(
        cfId === undefined ? readTransfer(store, needed(request.query.transfer_id, 'transfer_id')) : readTransferByCfId(store, cfId),
      )
    }),
  )
}

const one = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function needed(value: string | string[] | undefined, field: string): string {
  const text = one(value)
  if (text === undefined) throw missing(field)
  return text
}
