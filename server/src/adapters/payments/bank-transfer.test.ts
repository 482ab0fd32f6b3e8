import { paise } from '@roz/core/money.ts'
import { expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/database.ts'
import { bankTransferGateway, besideTransfers } from './bank-transfer.ts'

const database = useTestDatabase()

test('a gateway that comes after bank transfers is asked about none of their orders', async () => {
  const { db } = database
  const [former, own] = ['a'.repeat(32), 'b'.repeat(32)]
  const transfers = bankTransferGateway({ db })
  await transfers.createOrder({
    orderId: former,
    amount: paise(1000n),
    customerId: 'c'.repeat(32),
    phone: undefined,
    returnUrl: '',
    notifyUrl: '',
    expiresAtMs: Date.now() + 86_400_000,
  })
  const asked: string[] = []
  const gateway = besideTransfers(
    { db },
    {
      ...transfers,
      fetchOrder: async (orderId) => {
        asked.push(orderId)
        return undefined
      },
    },
  )
  expect([(await gateway.fetchOrder(former))?.status, await gateway.fetchOrder(own), asked]).toEqual(['PENDING', undefined, [own]])
})
