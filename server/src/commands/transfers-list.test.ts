/** The gateway's list of transfers after a restore. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { transfersIn } from './transfers-list.ts'

const id = randomUUID()
const ours = id.replaceAll('-', '')
const sent = { id, amount: 100_000n, beneficiaryId: 'b1' }
const HEAD = 'Cf Transfer ID,Transfer ID,Fee amount,Transfer Amount,Beneficiary ID'

test('our transfers are found among others, whatever precedes their columns', () => {
  expect(transfersIn(`${HEAD}\r\n17,${ours},2.36,1000,b1\r\n18,by hand,0,5,x\r\n`)).toEqual({ sent: [sent] })
})

test.each(['1000', '1000.00', '1000.000', '"1,000.00"', '"1000"'])('an amount of %s is ₹1,000', (amount) => {
  expect(transfersIn(`transfer_id,note,amount,beneficiary_id\n${ours},"a, ""b""",${amount},b1`)).toEqual({ sent: [sent] })
})

test.each([
  ['with another number of cells', `17,${ours},2,36,1000,b1`],
  ['whose amount is no number', `17,${ours},2.36,about 1000,b1`],
  ['with parts of a paisa', `17,${ours},2.36,1000.001,b1`],
])('a list is refused whole for a line %s', (_, line) => {
  expect(transfersIn(`${HEAD}\n17,${ours},2.36,1000,b1\n${line}`)).toEqual({
    problem: 'line 3 is not understood; nothing of the list was used.',
  })
})

test.each([
  ['without a column of ours', 'Cf Transfer ID,Amount,Beneficiary ID'],
  ['with a column twice', 'Transfer ID,Amount,transfer_amount,Beneficiary ID'],
])('a list %s is refused', (_, head) => {
  expect(transfersIn(`${head}\n${ours},1000,b1,b1`)).toMatchObject({ problem: expect.stringContaining('each once') as string })
})

test('a list without any transfer of ours is refused', () => {
  expect(transfersIn(`${HEAD}\n18,by hand,0,5,x`)).toEqual({ problem: 'none of its transfers is of this database.' })
})
