/** Pictures of bills: nothing but their pixels is kept, and nobody but staff sees one before its entry is booked or once it is withheld. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { breakRows } from '../../testing/database.ts'
import { memberLimits, take } from '../../protection/limits.ts'
import { useHelpWorld } from '../../testing/help-world.ts'

const world = useHelpWorld()

const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#336699' } })
const bytesOf = async (path: string, as?: bigint) => {
  const response = await fetch(`${world.calls.url}/api${path}`, {
    headers: as === undefined ? {} : { authorization: `Bearer session-${as}` },
  })
  return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) }
}

test('no metadata survives: the place, the camera and an embedded preview are gone from the kept bytes', async () => {
  const tagged = await picture(300, 200)
    .jpeg()
    .withExif({ IFD0: { Copyright: 'a secret camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '21/1 10/1 0/1' } })
    .toBuffer()
  expect((await sharp(tagged).metadata()).exif?.toString('latin1')).toContain('a secret camera')
  const { status, body } = await world.upload(tagged)
  expect([status, body]).toEqual([201, { hash: expect.any(String), width: 300, height: 200, url: `/api/receipts/${body.hash}` }])
  const { bytes } = await bytesOf(`/admin/receipts/${body.hash}`, world.staff.auditor)
  const { format, exif, xmp, iptc } = await sharp(bytes).metadata()
  expect([format, exif, xmp, iptc]).toEqual(['webp', undefined, undefined, undefined])
  expect(bytes.toString('latin1')).not.toMatch(/secret|GPS|Exif/i)
})

test('the hash is taken from the kept bytes, and the same picture is kept once', async () => {
  const bytes = await picture(120, 90).png().toBuffer()
  const [first, second] = await Promise.all([world.upload(bytes), world.upload(bytes, world.staff.owner)])
  expect(second.body).toEqual(first.body)
  const { file } = await world.db.one<{ file: string }>(
    sql`select file from receipt where hash = ${Buffer.from(first.body.hash, 'hex')}::bytea`,
  )
  const kept = await readFile(path.join(world.folder, file))
  expect(createHash('sha256').update(kept).digest('hex')).toBe(first.body.hash)
  const { n } = await world.db.one<{ n: number }>(sql`select count(*)::int as n from receipt`)
  expect(await readdir(path.join(world.folder, 'receipts'))).toHaveLength(n)
})

test('a receipt whose transaction fails leaves no file, and can be uploaded again', async () => {
  const bytes = await picture(131, 77).png().toBuffer()
  const files = () => readdir(path.join(world.folder, 'receipts'))
  const before = await files()
  const mend = await breakRows(world.database, 'audit_log', "new.action = 'receipt.upload'")
  const { status } = await world.upload(bytes)
  await mend()
  expect([status, await files()]).toEqual([500, before])
  expect((await world.upload(bytes)).status).toBe(201)
  expect(await files()).toHaveLength(before.length + 1)
})

test('a large picture is made smaller, and stays readable', async () => {
  const { body } = await world.upload(await picture(4000, 3000).jpeg().toBuffer())
  expect([body.width, body.height]).toEqual([2400, 1800])
})

test('a receipt is only for staff until its entry is booked, and never at the address of other uploads', async () => {
  const hash = await world.bill()
  expect((await bytesOf(`/receipts/${hash}`)).status).toBe(404)
  const forStaff = await bytesOf(`/admin/receipts/${hash}`, world.staff.support)
  expect([forStaff.status, forStaff.headers.get('cache-control')]).toEqual([200, 'private, no-store'])
  const { file } = await world.db.one<{ file: string }>(sql`select file from receipt where hash = ${Buffer.from(hash, 'hex')}::bytea`)
  expect((await world.calls.ask(`GET root:/uploads/${file}`)).status).toBe(404)

  const by = world.staff.finance
  const book = (status: string, decided: bigint | null) =>
    world.db.query(sql`
      with o as (
        insert into outlay (id, kind, amount_paise, purpose, needs_second, status, asked_by, decided_by, decided_at)
        values (gen_random_uuid(), 'platform_out', 100, 'rent', false, ${status}::text, ${by}::bigint, ${decided}::bigint,
          case when ${decided}::bigint is not null then roz_now() end) returning id)
      insert into outlay_receipt select id, 1, ${Buffer.from(hash, 'hex')}::bytea from o`)
  await book('requested', null)
  expect((await bytesOf(`/receipts/${hash}`)).status).toBe(404)
  await book('booked', by)
  const forAll = await bytesOf(`/receipts/${hash}`)
  expect([forAll.status, forAll.headers.get('cache-control')]).toEqual([200, 'public, no-cache'])
  expect(createHash('sha256').update(forAll.bytes).digest('hex')).toBe(hash)
})

const withhold = (hash: string, reason = 'It shows a phone number') =>
  world.calls.ask(`POST /admin/receipts/${hash}/withhold`, { as: world.staff.owner, body: { reason } })

test('a withheld picture is only for staff from then on; its hash stays in the books, and the staff log has the reason', async () => {
  await world.give(10)
  const [hash, beneficiaryId] = [await world.bill(), await world.beneficiary()]
  const body = { amount: 10, purpose: 'school shoes', beneficiaryId, receipts: [hash] }
  const { disbursement } = (await world.calls.ask('POST /admin/disbursements', { as: world.staff.finance, body })).body
  expect(disbursement).toMatchObject({ status: 'booked', receipts: [{ hash, withheld: null }] })
  expect((await bytesOf(`/receipts/${hash}`)).status).toBe(200)

  expect((await withhold(hash, '')).body.code).toBe('invalid_input')
  const [refused, done] = (await Promise.all([withhold(hash), withhold(hash)])).sort((a, b) => b.status - a.status)
  const withheld = { reason: 'It shows a phone number', by: expect.any(String), at: expect.stringMatching(/^2026-11-/) }
  expect([refused?.body.code, done?.body]).toEqual(['receipt_withheld', { withheld }])
  expect((await bytesOf(`/receipts/${hash}`)).status).toBe(404)
  expect((await bytesOf(`/admin/receipts/${hash}`, world.staff.auditor)).status).toBe(200)

  const { disbursements } = (await world.calls.ask('GET /admin/disbursements', { as: world.staff.auditor })).body
  expect(disbursements[0].receipts).toMatchObject([{ hash, withheld }])
  expect(await world.db.query(sql`select receipts, withheld from outlay_public where id = ${disbursement.id}::uuid`)).toEqual([
    { receipts: [], withheld: [hash] },
  ])
  expect(await world.db.query(sql`select kind from evidence where hash = ${Buffer.from(hash, 'hex')}::bytea`)).toHaveLength(1)
  const entries = await world.db.query(
    sql`select after from audit_log where action = 'receipt.withhold' and subject = ${`receipt:${hash}`}::text`,
  )
  expect(entries).toEqual([{ after: { reason: 'It shows a phone number' } }])
})

test('an upload that no request names is deleted after a day, with its file; a named upload stays', async () => {
  const [lost, kept] = [await world.bill(), await world.bill()]
  expect((await withhold(lost)).body.code).toBe('receipt_not_found')
  const rows = sql`hash in (${Buffer.from(lost, 'hex')}::bytea, ${Buffer.from(kept, 'hex')}::bytea)`
  const waiting = await world.db.query<{ key: string; hash: string; isLater: boolean }>(sql`
    select key, payload ->> 'hash' as hash, due_at >= uploaded_at + interval '1 day' - interval '1 second' as "isLater"
      from job join receipt on file = key where kind = 'forget_receipt' and ${rows} order by id`)
  expect(waiting.map(({ hash, isLater }) => [hash, isLater])).toEqual([
    [lost, true],
    [kept, true],
  ])
  await world.db.query(sql`
    with o as (
      insert into outlay (id, kind, amount_paise, purpose, needs_second, asked_by)
      values (gen_random_uuid(), 'platform_out', 100, 'rent', true, ${world.staff.finance}::bigint) returning id)
    insert into outlay_receipt select id, 1, ${Buffer.from(kept, 'hex')}::bytea from o`)
  await expect(world.db.query(sql`delete from receipt where hash = ${Buffer.from(kept, 'hex')}::bytea`)).rejects.toThrow('outlay_receipt')
  for (const hash of [lost, kept, lost]) await world.jobs.forget_receipt({ hash })
  expect(await world.db.query(sql`select encode(hash, 'hex') as hash from receipt where ${rows}`)).toEqual([{ hash: kept }])
  const removals = await world.db.query(sql`select payload ->> 'name' as name from job where kind = 'remove_file'`)
  expect(removals).toEqual([{ name: waiting[0]?.key }])
})

test.each([
  ['text named as a picture', Buffer.from('not a picture at all'), 'image/png', 400, 'receipt_not_picture'],
  ['a PDF', Buffer.from('%PDF-1.7 and so on'), 'application/pdf', 400, 'receipt_not_picture'],
  ['more than 10 MB', Buffer.alloc(10 * 1024 * 1024 + 1), 'image/jpeg', 413, 'receipt_too_large'],
])('%s is refused', async (_what, bytes, type, status, code) => {
  const answer = await world.upload(bytes, world.staff.finance, type)
  expect([answer.status, answer.body.code]).toEqual([status, code])
})

test('more than 24 megapixels are refused before they are decoded', async () => {
  const bomb = await sharp({ create: { width: 6000, height: 4001, channels: 3, background: 'white' } })
    .png()
    .toBuffer()
  expect((await world.upload(bomb, world.staff.finance, 'image/png')).body.code).toBe('picture_pixels')
})

test.each(['unknown', 'f'.repeat(64), '../../etc/passwd'])('no receipt is at %s', async (hash) => {
  const name = encodeURIComponent(hash)
  expect((await world.calls.ask(`GET /receipts/${name}`)).body.code).toBe('receipt_not_found')
  expect((await world.calls.ask(`GET /admin/receipts/${name}`, { as: world.staff.owner })).body.code).toBe('receipt_not_found')
})

test('the 301st bill of a colleague in an hour answers 429 and is not stored', async () => {
  const hits = Array.from({ length: 300 }, () => take(world.db, memberLimits.bills(world.staff.owner)))
  await Promise.all(hits)
  const before = await readdir(path.join(world.folder, 'receipts'))
  const { status, body } = await world.upload(await picture(33, 44).png().toBuffer(), world.staff.owner)
  expect([status, body.code]).toEqual([429, 'too_many_requests'])
  expect(await readdir(path.join(world.folder, 'receipts'))).toEqual(before)
})
