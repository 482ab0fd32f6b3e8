/** Fixture: the help desk and the accounts on a database and a folder of its own, with staff of each role and pictures to upload. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { STAFF_ROLES, type StaffRole } from '@roz/contract/roles.ts'
import { wholeRupees } from '@roz/core/money.ts'
import sharp from 'sharp'
import { createFileStorage } from '../adapters/storage/files.ts'
import { registerUploads } from '../adapters/storage/uploads.ts'
import { inTransaction } from '../db/transaction.ts'
import { createAccounts } from '../features/accounts/accounts.ts'
import { createHelp } from '../features/help/help.ts'
import { creditTransfer } from '../features/wallet/settle.ts'
import { giveRest } from '../ledger/closing.ts'
import { addMoney, DAY, newMember, openDay } from '../ledger/testing/fixtures.ts'
import { makeStaff, serveCalls, testSecrets } from './calls.ts'
import { createTestDatabase } from './database.ts'
import { perFile } from './fixture.ts'

/** `approvalAbove` in rupees. */
type HelpOptions = { readonly approvalAbove?: number }
type HelpWorld = Awaited<ReturnType<typeof openHelpWorld>>
/** One for all tests of a file. */
export const useHelpWorld = (options: HelpOptions = {}): HelpWorld => perFile(() => openHelpWorld(options))

export const MEERA = {
  publicName: 'Meera',
  isChild: false,
  guardian: null,
  consent: { how: 'written', on: '2026-11-20' },
  note: 'Meera Sharma, 12 Ring Road',
}

const formOf = (bytes: Uint8Array, type: string): FormData => {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)], { type }), 'picture')
  return form
}

export const pictureForm = async (width: number): Promise<FormData> =>
  formOf(
    await sharp({ create: { width, height: 30, channels: 3, background: '#4a7c59' } })
      .png()
      .toBuffer(),
    'image/png',
  )

export async function openHelpWorld({ approvalAbove = 1000 }: HelpOptions = {}) {
  const database = await createTestDatabase()
  const folder = await mkdtemp(path.join(tmpdir(), 'roz-help-'))
  const storage = createFileStorage({ folder })
  const deps = { db: database.db, secrets: testSecrets, approvalAbove: wholeRupees(approvalAbove) }
  const transfers = { areOffered: false, credit: creditTransfer }
  const help = createHelp({ ...deps, storage, production: false })
  const calls = await serveCalls(database.db, { ...help.handlers, ...createAccounts({ ...deps, transfers }).handlers }, (app) =>
    registerUploads(app, storage),
  )
  const staff = {} as Record<StaffRole, bigint>
  for (const role of STAFF_ROLES) staff[role] = await makeStaff(database.db, role)
  const upload = (bytes: Buffer, as = staff.finance, type = 'image/jpeg') =>
    calls.ask('POST /admin/uploads', { as, form: formOf(bytes, type) })
  let made = 0
  await openDay(database, DAY)
  return {
    database,
    db: database.db,
    folder,
    storage,
    calls,
    jobs: help.jobs,
    sweeps: help.sweeps,
    staff,
    upload,
    /** Uploads a picture that no other bill shows, and returns its hash. */
    bill: async (): Promise<string> => {
      const number = ++made
      const colour = { r: number % 256, g: (number * 37) % 256, b: 200 }
      const bytes = await sharp({ create: { width: 60 + number, height: 40, channels: 3, background: colour } })
        .png()
        .toBuffer()
      const { status, body, text } = await upload(bytes, staff.finance, 'image/png')
      if (status !== 201) throw new Error(`upload answered ${status}: ${text}`)
      return body.hash
    },
    /** A gift to the help fund, today. */
    give: async (rupees: number): Promise<void> => {
      const memberId = await newMember(database.db)
      await addMoney(database.db, memberId, wholeRupees(rupees))
      await inTransaction(database.db, (tx) => giveRest(tx, { memberId, ref: randomUUID() }))
    },
    beneficiary: async (fields: object = {}): Promise<string> => {
      const { status, body, text } = await calls.ask('POST /admin/beneficiaries', { as: staff.editor, body: { ...MEERA, ...fields } })
      if (status !== 201) throw new Error(`the call answered ${status}: ${text}`)
      return body.beneficiary.id
    },
    close: async (): Promise<void> => {
      await calls.close()
      await rm(folder, { recursive: true })
      await database.drop()
    },
  }
}
