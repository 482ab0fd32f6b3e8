/**
 * The team's help: each morning the whole help fund is paid to a person from our bank, its arrival is recorded, and its story published.
 * - So the bank also has payments without a number that the books know: a person matches their lines.
 */
import { randomUUID } from 'node:crypto'
import type { IstDay } from '@roz/core/ist-day.ts'
import { type Colour, png } from '../../e2e/harness/pictures.ts'
import type { Bank } from './bank.ts'
import type { World } from './world.ts'

const BENEFICIARY = { publicName: 'Meera', isChild: false, guardian: null, note: 'The paper is in the blue folder.' } as const
const STORY = {
  title: 'Shoes for school',
  description: 'Meera has shoes for school again.',
  charity: { name: 'The fund', description: 'It pays what a person needs.' },
  language: 'en',
  translations: {
    hi: {
      title: 'स्कूल के जूते',
      description: 'मीरा के पास फिर से स्कूल के जूते हैं।',
      charityName: 'मदद का फ़ंड',
      charityDescription: 'यह ज़रूरत का पैसा देता है।',
    },
  },
} as const
/** The number of a bill in black and white: its pixels are kept with a loss. */
const SIDE = 4
const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

export function createHelp(world: World, bank: Bank, complain: (complaint: string) => void) {
  const { as } = world
  const key = (): { readonly key: string } => ({ key: randomUUID() })
  let beneficiaryId: string | undefined
  let bills = 0

  async function addBeneficiary(today: IstDay): Promise<string> {
    const body = { ...BENEFICIARY, consent: { how: 'written', on: today } } as const
    return (await as('editor', 'createBeneficiary', { body })).output.beneficiary.id
  }

  /** A bill of its own for each payment. */
  async function upload(): Promise<string> {
    const n = bills++
    const form = new FormData()
    const picture = png(SIDE, SIDE, (x, y) => (((n >> (y * SIDE + x)) & 1) === 0 ? WHITE : BLACK))
    form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'bill.png')
    return (await as('finance', 'uploadReceipt', { form })).output.hash
  }

  /** The bank pays first: then there is a bill. */
  async function give(today: IstDay, amount: number): Promise<string | undefined> {
    const receipt = await upload()
    bank.payByHand(`help ${receipt}`, { day: today, paise: -Math.round(amount * 100), words: `NEFT DR-SHOE SHOP-BILL ${bills}` })
    const translations = { hi: 'स्कूल के जूते' }
    const body = { amount, purpose: 'school shoes', translations, receipts: [receipt], beneficiaryId: beneficiaryId ?? '' }
    const asked = await as('finance', 'askDisbursement', { ...key(), body })
    if (asked.status !== 200) {
      complain(`help of ${amount}: ${asked.text}`)
      return undefined
    }
    const { id, status, seen } = asked.output.disbursement
    if (status === 'booked') return id
    const approved = await as('owner', 'approveDisbursement', { ...key(), params: { id }, body: { status, seen } })
    if (approved.status !== 200) complain(`help ${id}: ${approved.text}`)
    return approved.status === 200 ? id : undefined
  }

  async function tell(outlayId: string): Promise<void> {
    const made = await as('editor', 'createStory', { body: { ...STORY, outlayId } })
    if (made.status !== 200) return complain(`the story of ${outlayId}: ${made.text}`)
    const published = await as('editor', 'updateStory', { params: { id: made.output.story.id }, body: { isActive: true } })
    if (published.status !== 200) complain(`the story of ${outlayId}: ${published.text}`)
  }

  return async function morning(today: IstDay): Promise<void> {
    beneficiaryId ??= await addBeneficiary(today)
    const { balance } = (await as('finance', 'disbursements')).output.fund
    if (balance <= 0) return
    const id = await give(today, balance)
    if (id === undefined) return
    await tell(id)
    const { disbursements } = (await as('visitor', 'disbursements', { query: { limit: '100' } })).output
    const seen = disbursements.find((one) => one.id === id)?.seen
    const body = { status: 'booked', received: true, how: 'call', on: today, ...(seen === undefined ? {} : { seen }) } as const
    const arrived = await as('visitor', 'recordArrival', { params: { id }, body })
    if (arrived.status !== 200) complain(`the arrival of ${id}: ${arrived.text}`)
  }
}
