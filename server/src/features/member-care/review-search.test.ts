/** The search of the review list finds the same with its two ways: from the members of a rare name, and in order for a common one. */
import { expect, test } from 'vitest'
import { inTransaction } from '../../db/transaction.ts'
import { noteSignal } from '../../members/signals.ts'
import { makeMember, testSecrets } from '../../testing/calls.ts'
import { useTestDatabase } from '../../testing/database.ts'
import { listFlags } from './review.ts'

const database = useTestDatabase({ isAudited: false })

const share = async (value: string, ...names: string[]): Promise<void> => {
  for (const name of names) {
    const memberId = await makeMember(database.db, { name })
    await inTransaction(database.db, (tx) => noteSignal(tx, testSecrets, { kind: 'device', value, memberId }))
  }
}

test('both ways of the search find the same signals, and only those with an account of the name', async () => {
  await share('one', 'Kavya Nair', 'Asha Verma')
  await share('two', 'Ravi Rao', 'Omar Khan')
  await share('three', 'Lata Rao', 'Kavya Menon')
  const found = async (q: string, common?: number): Promise<string[][]> =>
    (await listFlags(database.db, { q }, { after: undefined, limit: 25 }, common)).map(({ shown }) =>
      shown.members.map(({ name }) => name).toSorted(),
    )
  const ofKavya = [
    ['Kavya Menon', 'Lata Rao'],
    ['Asha Verma', 'Kavya Nair'],
  ]
  expect([await found('kavya'), await found('kavya', 0)]).toEqual([ofKavya, ofKavya])
  expect([await found('nobody'), await found('nobody', 0)]).toEqual([[], []])
})
