/**
 * The gateway's API for payouts, under /payout.
 * - The payouts account has its own keys and API version (account-calls.ts).
 */
import type { FastifyInstance } from 'fastify'
import { admitAccount } from './account-calls.ts'
import { callsOf, type Parts } from './calls.ts'
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

export function payoutRoutes(app: FastifyInstance, parts: Parts): void {
  const { store, payouts } = parts
  admitAccount(app, parts, payouts, '2024-01-01')
  const { get, post, remove } = callsOf(app, parts)
  post('/beneficiary', ({ reply, body, nowMs }) => {
    reply.code(201)
    return beneficiaryEntity(createBeneficiary(store, readNewBeneficiary(body), nowMs))
  })
  get('/beneficiary', ({ query }) => {
    const account = one(query.bank_account_number)
    const ifsc = one(query.bank_ifsc)
    return beneficiaryEntity(
      account !== undefined && ifsc !== undefined
        ? readBeneficiaryByAccount(store, account, ifsc)
        : readBeneficiary(store, needed(query.beneficiary_id, 'beneficiary_id')),
    )
  })
  remove('/beneficiary', ({ query }) => beneficiaryEntity(setBeneficiary(store, needed(query.beneficiary_id, 'beneficiary_id'), 'DELETED')))
  post('/validatePayout', ({ body, nowMs }) => {
    const question = readPayoutQuestion(body)
    return validationEntity(question.vpa, validatePayout(store, question, nowMs))
  })
  post('/transfers', ({ body, nowMs }) => transferEntity(playNewTransfer(parts, readNewTransfer(body), nowMs)))
  get('/transfers', ({ query, nowMs }) => {
    advanceTransfers(parts, nowMs)
    const cfId = one(query.cf_transfer_id)
    return transferEntity(
      cfId === undefined ? readTransfer(store, needed(query.transfer_id, 'transfer_id')) : readTransferByCfId(store, cfId),
    )
  })
}

const one = (value: string | string[] | undefined): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

function needed(value: string | string[] | undefined, field: string): string {
  const text = one(value)
  if (text === undefined) throw missing(field)
  return text
}
