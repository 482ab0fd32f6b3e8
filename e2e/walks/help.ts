/** The walk over the help desk: a beneficiary, a receipt, and what the public sees of it before anything is booked. */
import { expect } from 'vitest'
import type { Walk } from './walk.ts'

type Given = { readonly admin: string; readonly picture: Buffer }

export async function walkHelp(walk: Walk, { admin, picture }: Given): Promise<void> {
  const fields = { publicName: 'Meera', isChild: false, guardian: null, consent: null, note: 'In the blue folder.' }
  const made = await walk.step('createBeneficiary', { token: admin, body: fields })
  expect([made.status, made.output.beneficiary]).toMatchObject([201, { ...fields, status: 'waiting' }])
  const params = { id: made.output.beneficiary.id }
  const consent = { how: 'written', on: '2026-01-05' }
  const edited = await walk.step('updateBeneficiary', { token: admin, params, body: { consent } })
  expect(edited.output.beneficiary).toMatchObject({ status: 'consented', consent })
  expect((await walk.step('beneficiaries', { token: admin })).output.beneficiaries).toEqual([edited.output.beneficiary])

  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'receipt.png')
  const receipt = (await walk.step('uploadReceipt', { token: admin, form })).output
  expect(receipt).toMatchObject({ width: 1, height: 1, url: `/api/receipts/${receipt.hash}` })
  const { hash } = receipt
  expect((await walk.step('adminReceipt', { token: admin, params: { hash } })).headers.get('content-type')).toBe('image/webp')
  expect((await walk.step('publicReceipt', { params: { hash } })).refusal.code).toBe('receipt_not_found')
}
