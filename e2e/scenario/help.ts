/** The scenario of the help desk: a beneficiary, a bill, and what the public sees of it before anything is booked. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { BODIES } from '../harness/examples.ts'
import { png } from '../harness/pictures.ts'
import { addColleague } from '../harness/team.ts'
import type { Scenario } from './scenario.ts'

type Given = { readonly admin: string; readonly picture: Buffer }

export async function runHelp(scenario: Scenario, { admin, picture }: Given): Promise<void> {
  const fields = { publicName: 'Meera', isChild: false, guardian: null, consent: null, note: 'In the blue folder.' }
  // The author of a person's record pays nothing to that person.
  const editor = await addColleague(scenario.roz, 'editor')
  const made = await scenario.step('createBeneficiary', { token: editor, body: fields })
  expect([made.status, made.output.beneficiary]).toMatchObject([201, { ...fields, status: 'waiting' }])
  const params = { id: made.output.beneficiary.id }
  const consent = { how: 'written', on: '2026-01-05' }
  const edited = await scenario.step('updateBeneficiary', { token: editor, params, body: { consent } })
  expect(edited.output.beneficiary).toMatchObject({ status: 'consented', consent })
  expect((await scenario.step('beneficiaries', { token: admin })).output.beneficiaries).toEqual([edited.output.beneficiary])
  expect((await scenario.step('beneficiariesCsv', { token: admin })).text.split('\r\n')[1]).toContain(`${params.id},`)

  await runRequest(scenario, editor)
  const hash = await upload(scenario, admin, picture)
  expect((await scenario.step('adminReceipt', { token: admin, params: { hash } })).headers.get('content-type')).toBe('image/webp')
  expect((await scenario.step('publicReceipt', { params: { hash } })).refusal.code).toBe('receipt_not_found')
  await runHelpGiven(scenario, admin, params.id, hash)
}

/** Somebody asks for help, and the team agrees. */
async function runRequest(scenario: Scenario, token: string): Promise<void> {
  const { number } = (await scenario.step('askForHelp', { body: BODIES.askForHelp })).output
  const params = { number }
  const phone = String(BODIES.askForHelp?.phone)
  expect((await scenario.step('askedHelp', { params, body: { phone } })).output).toMatchObject({ number, stage: 'new' })
  const { cases, team } = (await scenario.step('helpCases', { token })).output
  expect(cases).toMatchObject([{ number, stage: 'new', version: 1 }])
  expect((await scenario.step('helpCasesCsv', { token, query: { state: 'MH' } })).text.split('\r\n')[1]).toContain(`${number},school,self`)
  const assigned = { assignedTo: team[0]?.id ?? null, urgency: 'today', version: 1 } as const
  expect((await scenario.step('assignHelpCase', { token, params, body: assigned })).output.case.assignedTo).toEqual(team[0])
  const checked = { step: 'checked', how: 'visit', note: 'The shoes are too small.', version: 2 } as const
  expect((await scenario.step('stepHelpCase', { token, params, body: checked })).output.case.stage).toBe('checked')
  const consent = { how: 'written', on: '2026-01-05' } as const
  const beneficiary = { publicName: 'Gita', isChild: false, guardian: null, consent, note: '' }
  const body = { amount: 0.5, note: 'Both have seen it.', beneficiary, version: 3 }
  expect((await scenario.step('agreeHelpCase', { token, params, body })).output.case.stage).toBe('agreed')
  const outcome = { token, params, body: { received: true, how: 'call', on: '2026-01-05', version: 4 } } as const
  expect((await scenario.step('arriveHelpCase', outcome)).refusal.code).toBe('case_stage')
  const told = { token, params, body: { language: 'hi', words: 'वह अब रोज़ स्कूल जाती है।', version: 4 } } as const
  expect((await scenario.step('followUpHelpCase', told)).refusal.code).toBe('case_stage')
  const shown = { token, params, form: pictureForm() }
  expect((await scenario.step('uploadCaseFollowUpPicture', shown)).refusal.code).toBe('case_stage')
  const { day, agreed } = (await scenario.step('helpOrder', { token })).output
  expect(agreed.map((one) => one.number)).toEqual([number])
  const alone = { token, params: { day: day ?? '' }, body: { numbers: [number, number] } }
  expect(Object.keys((await scenario.step('freezeHelpOrder', alone)).refusal.fields ?? {})).toEqual(['numbers'])
  const stranger = { phone: '9000000001' }
  expect((await scenario.step('withdrawAskedHelp', { params, body: stranger })).refusal.code).toBe('case_not_found')
  const { contact, steps } = (await scenario.step('helpCase', { token, params })).output.case
  expect([contact?.name, steps.map(({ step }) => step)]).toEqual(['Gita Rao', ['checked', 'agreed']])
}

function pictureForm(picture = png(1, 1, () => [7, 7, 7])): FormData {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png')
  return form
}

/** Uploads a bill of one pixel; its hash. */
async function upload(scenario: Scenario, token: string, picture: Buffer): Promise<string> {
  const receipt = (await scenario.step('uploadReceipt', { token, form: pictureForm(picture) })).output
  expect(receipt).toMatchObject({ width: 1, height: 1, url: `/api/receipts/${receipt.hash}` })
  return receipt.hash
}

/** By now the fund has the need share of one settled round: ₹1.20. */
async function runHelpGiven(scenario: Scenario, token: string, beneficiaryId: string, hash: string): Promise<void> {
  const quote = await scenario.step('disbursementQuote', { token, query: { amount: '0.5' } })
  expect(quote.output).toMatchObject({ balance: 1.2, days: [{ amount: 0.5 }] })
  const body = { amount: 0.5, purpose: 'a pencil', beneficiaryId, receipts: [hash] }
  const { disbursement } = (await scenario.step('askDisbursement', { token, body })).output
  expect(disbursement).toMatchObject({ status: 'booked', days: quote.output.days, receipts: [{ hash }] })
  expect((await scenario.step('publicReceipt', { params: { hash } })).headers.get('content-type')).toBe('image/webp')
  const shown = await scenario.step('withholdReceipt', { token, params: { hash }, body: { reason: 'It shows a phone number.' } })
  expect(shown.output.withheld).toMatchObject({ reason: 'It shows a phone number.' })
  expect((await scenario.step('publicReceipt', { params: { hash } })).refusal.code).toBe('receipt_not_found')
  const listed = (await scenario.step('disbursements', { token })).output
  expect((await scenario.step('disbursementsCsv', { token })).text.split('\r\n')[1]).toContain(listed.disbursements[0]?.purpose)
  const receipts = disbursement.receipts.map((receipt) => ({ ...receipt, ...shown.output }))
  // A withheld receipt is another thing to decide about.
  const { seen: fingerprint } = listed.disbursements[0] ?? {}
  expect([listed.disbursements, listed.fund.balance]).toEqual([[{ ...disbursement, receipts, seen: fingerprint }], 0.7])
  expect(fingerprint).not.toBe(disbursement.seen)

  const params = { id: disbursement.id }
  const again = { amount: 0.1, purpose: 'change returned', receipts: [hash] }
  expect((await scenario.step('correctDisbursement', { token, params, body: again })).refusal.code).toBe('receipt_used')
  const seen = { status: 'booked' }
  const hindi = { token, params, body: { ...seen, translations: { hi: 'एक पेंसिल' } } }
  expect((await scenario.step('translateDisbursement', hindi)).output.disbursement).toMatchObject({
    purpose: 'a pencil',
    language: 'en',
    translations: { hi: 'एक पेंसिल' },
  })
  const because = { ...seen, reason: 'Too late.' }
  expect((await scenario.step('arrivalCode', { token, params })).output.code).toMatch(/^\d{4}$/)
  const arrived = { ...seen, received: true, how: 'call', on: disbursement.days[0]?.day ?? '' } as const
  expect((await scenario.step('recordArrival', { token, params, body: arrived })).refusal.code).toBe('own_arrival')
  const told = { language: 'hi', words: 'वह अब रोज़ स्कूल जाती है।' } as const
  expect((await scenario.step('recordFollowUp', { token, params, body: told })).refusal.code).toBe('follow_up_consent')
  const hold = { params: { id: '00000000-0000-4000-8000-000000000000' }, body: { reason: 'It names the street.' } }
  expect((await scenario.step('withholdFollowUp', { token, ...hold })).refusal.code).toBe('follow_up_not_found')
  const picture = { token, params, form: pictureForm() }
  expect((await scenario.step('uploadFollowUpPicture', picture)).refusal.code).toBe('follow_up_consent')
  expect((await scenario.step('followUpPictureForTeam', { token, params: hold.params })).refusal.code).toBe('not_found')
  expect((await scenario.step('followUpPicture', { params: { ...hold.params, hash } })).refusal.code).toBe('not_found')
  expect((await scenario.step('approveDisbursement', { token, params, body: seen })).refusal.code).toBe('outlay_final')
  expect((await scenario.step('rejectDisbursement', { token, params, body: because })).refusal.code).toBe('outlay_final')
  expect((await scenario.step('houseEntries', { token })).output).toMatchObject({ entries: [], payable: { platform_out: 0.2 } })
  const entry = { kind: 'platform_out', amount: 0.1, purpose: 'office rent', receipts: [hash] }
  expect((await scenario.step('askHouseEntry', { token, body: entry })).refusal.code).toBe('receipt_used')
  const bill = await upload(
    scenario,
    token,
    png(1, 1, () => [9, 9, 9]),
  )
  const booked = (await scenario.step('askHouseEntry', { token, body: { ...entry, receipts: [bill] } })).output
  expect(booked.entry).toMatchObject({ kind: 'platform_out', amount: 0.1, status: 'booked', receipts: [{ hash: bill }] })
  expect((await scenario.step('houseEntriesCsv', { token })).text.split('\r\n')[1]).toContain(booked.entry.id)
  expect((await scenario.step('houseEntries', { token })).output).toMatchObject({ entries: [booked.entry], payable: { platform_out: 0.1 } })
  await runSettlement(scenario, token)
  await runBank(scenario, token)
  await runTax(scenario, token)
  expect((await scenario.step('approveHouseEntry', { token, params, body: seen })).refusal.code).toBe('outlay_not_found')
  expect((await scenario.step('rejectHouseEntry', { token, params, body: because })).refusal.code).toBe('outlay_not_found')
}

/** A part of what the gateway owes by now reaches the bank. */
async function runSettlement(scenario: Scenario, token: string): Promise<void> {
  const before = (await scenario.step('reconciliation', { token })).output
  expect(before.reconciliation[0]?.owed).toBe(before.balances.gateway)
  const picture = png(1, 1, () => [8, 8, 8])
  const receipts = [await upload(scenario, token, picture)]
  const body = { reference: 'utr0000000001', day: before.reconciliation[0]?.day, amount: 5, fee: 0.12, receipts }
  const { entry } = (await scenario.step('askSettlement', { token, body })).output
  expect(entry).toMatchObject({ kind: 'gateway_settled', purpose: 'UTR0000000001', status: 'booked', settlement: { fee: 0.12 } })
  const after = (await scenario.step('reconciliation', { token })).output
  expect(after.balances.gateway).toBeCloseTo(before.balances.gateway - 5.12, 2)
  expect(after.reconciliation[0]).toMatchObject({ settled: 5, fee: 0.12, owed: after.balances.gateway })
  expect((await scenario.step('gatewaySettlements', { token })).output).toEqual({ settlements: [], nextCursor: null })
  expect((await scenario.step('findings', { token })).output).toEqual({ findings: [], nextCursor: null })
  expect((await scenario.step('gatewaySettlement', { token, params: { id: '7' } })).refusal.code).toBe('settlement_not_found')
  const seen = { amount: 5, fee: 0.12 }
  expect((await scenario.step('recordSettlement', { token, params: { id: '7' }, body: seen })).refusal.code).toBe('settlement_not_found')
  const closing = { params: { id: '00000000-0000-4000-8000-000000000000' }, body: { status: 'open', reason: 'A fee of July' } } as const
  expect((await scenario.step('closeFinding', { token, ...closing })).refusal.code).toBe('finding_not_found')
  expect((await scenario.step('reconciliationCsv', { token })).text.split('\r\n')[1]).toContain(`,5,0.12,${after.balances.gateway}`)
}

/** The bank has the settlement: its statement is imported, matched by the gateway's number, and agrees with the books. */
async function runBank(scenario: Scenario, token: string): Promise<void> {
  const { reconciliation } = (await scenario.step('reconciliation', { token })).output
  const today = reconciliation[0]?.day ?? ''
  const params = { id: randomUUID() }
  const { account } = (await scenario.step('saveBankAccount', { token, params, body: BODIES.saveBankAccount })).output
  expect((await scenario.step('bankAccounts', { token })).output.accounts).toEqual([account])
  const form = () => {
    const made = new FormData()
    const file = `Date,Narration,Debit,Credit,Balance\n${today},NEFT UTR0000000001,,5.00,5.00\n`
    made.set('file', new Blob([file], { type: 'text/csv' }), 'statement.csv')
    return made
  }
  const { seen, lines } = (await scenario.step('previewStatement', { token, params, form: form() })).output
  expect(lines).toBe(1)
  const query = { seen, until: today }
  expect((await scenario.step('importStatement', { token, params, query, form: form() })).output).toEqual({
    stored: 1,
    known: 0,
    matched: 1,
  })
  const [line] = (await scenario.step('bankLines', { token })).output.lines
  expect(line).toMatchObject({ amount: 5, status: 'matched' })
  const id = line?.id ?? ''
  expect((await scenario.step('bankLine', { token, params: { id } })).output.words).toBe('NEFT UTR0000000001')
  const match = { params: { id }, body: { status: 'open', subject: 'wd_paid:7' } } as const
  expect((await scenario.step('matchBankLine', { token, ...match })).refusal.code).toBe('changed_since_seen')
}

/** No tax was withheld in the scenario: the list is empty, and a certificate has nothing to certify. */
async function runTax(scenario: Scenario, token: string): Promise<void> {
  const { quarter, members, sum } = (await scenario.step('taxWithheld', { token })).output
  expect([members, sum]).toEqual([[], { prize: 0, tax: 0 }])
  expect((await scenario.step('taxWithheldCsv', { token })).text).toBe('quarter,member,name,pan,rewards,prize,tax,certificate\r\n')
  const params = { quarter, id: randomUUID() }
  expect((await scenario.step('setCertificate', { token, params, body: BODIES.setCertificate })).refusal.code).toBe('not_found')
}
