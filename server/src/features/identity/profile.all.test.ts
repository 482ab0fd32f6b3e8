/** The member's own record and picture. */
import { once } from 'node:events'
import { readdir, writeFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { connect as openLine } from 'node:net'
import path from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import { breakRows } from '../../testing/database.ts'
import { type Person, usePeople } from '../../testing/people.ts'

const roz = usePeople()
let asha: Person
beforeAll(async () => {
  asha = await roz.register('asha@x.test')
})

const put = (body: unknown, token = asha.token) => roz.ask('PUT /user', { token, body })

describe('changing the profile', () => {
  test('accepts name, phone and Auto Participate, as the profile page sends them', async () => {
    const answer = await put({ name: ' Asha Devi ', phone: '6000000000', autoParticipate: true })
    expect(answer.status).toBe(200)
    expect(answer.body.user).toMatchObject({ name: 'Asha Devi', phone: '6000000000', autoParticipate: true })
    expect((await roz.ask('GET /user/me', { token: asha.token })).body).toEqual(answer.body)
  })

  test('accepts only Auto Participate and leaves the rest', async () => {
    const answer = await put({ autoParticipate: false })
    expect(answer.body.user).toMatchObject({ name: 'Asha Devi', phone: '6000000000', autoParticipate: false })
    expect(await roz.db.one(sql`select auto_join from wallet where member_id = ${await roz.memberId(asha)}::bigint`)).toEqual({
      auto_join: false,
    })
  })

  test('accepts the public name and the language', async () => {
    expect((await put({ publicName: 'anonymous', language: 'hi' })).body.user).toMatchObject({ publicName: 'anonymous', language: 'hi' })
  })

  test('the database accepts any language code, and refuses a text that is not a code', async () => {
    const id = await roz.memberId(asha)
    const speak = async (language: string) =>
      roz.db.one(sql`update member set language = ${language}::text where id = ${id}::bigint returning language`)
    expect(await speak('ta')).toEqual({ language: 'ta' })
    await expect(speak('Tamil')).rejects.toThrow('member_language_check')
    await speak('hi')
  })

  test.each([
    ['the mail address cannot be changed', { email: 'new@x.test' }, 'This field is not known.'],
    ['the role cannot be changed', { role: 'admin' }, 'This field is not known.'],
    ['a name has at least 2 characters', { name: 'A' }, 'Name must be 2 to 100 characters'],
    ['a phone has ten digits', { phone: '12345' }, 'Please enter a valid 10-digit mobile number'],
    ['Auto Participate is true or false', { autoParticipate: 'yes' }, 'This value has the wrong type.'],
    ['a language outside the list is refused', { language: 'fr' }, 'Please choose one of the listed values'],
  ])('%s', async (_rule, body, message) => {
    const before = await roz.ask('GET /user/me', { token: asha.token })
    const answer = await put(body)
    expect([answer.status, answer.body.message]).toEqual([400, message])
    expect((await roz.ask('GET /user/me', { token: asha.token })).body).toEqual(before.body)
  })

  test('keeps changes of different fields that are made at once', async () => {
    await Promise.all([put({ name: 'Asha Rao' }), put({ phone: '7000000000' }), put({ autoParticipate: true })])
    expect((await roz.ask('GET /user/me', { token: asha.token })).body.user).toMatchObject({
      name: 'Asha Rao',
      phone: '7000000000',
      autoParticipate: true,
    })
  })
})

type Part = { readonly bytes: Uint8Array; readonly type: string; readonly name?: string }
async function upload(part: Part, token = asha.token, field = 'avatar') {
  const form = new FormData()
  form.append(field, new Blob([new Uint8Array(part.bytes)], { type: part.type }), part.name ?? 'picture')
  return roz.ask('POST /user/avatar', { token, form })
}
/** The first line of the answer to an upload that breaks off after its first bytes. */
async function answerToHalf(token: string): Promise<string> {
  const { hostname: host, port } = new URL(roz.url)
  const line = openLine({ host, port: Number(port) })
  const head = ['POST /api/user/avatar HTTP/1.1', 'host: roz', `authorization: Bearer ${token}`, 'content-length: 4000']
  line.write([...head, 'content-type: multipart/form-data; boundary=x', '', '--x\r\n'].join('\r\n'))
  const [bytes] = (await once(line, 'data')) as [Buffer]
  line.destroy()
  return bytes.toString('latin1').split('\r\n')[0] ?? ''
}
const picture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: '#c04020' } })
const stored = async (url: string): Promise<Buffer> => Buffer.from(await (await fetch(roz.url + url)).arrayBuffer())

describe('the picture', () => {
  test.each([
    ['a JPEG', () => picture(1200, 800).jpeg(), 'image/jpeg', 512],
    ['a PNG', () => picture(300, 700).png(), 'image/png', 300],
    ['a WebP', () => picture(512, 512).webp(), 'image/webp', 512],
    ['a GIF', () => picture(40, 20).gif(), 'image/gif', 20],
    ['an AVIF', () => picture(200, 100).avif({ effort: 0 }), 'image/avif', 100],
  ])('%s becomes a square WebP of at most 512 px, never enlarged', async (_what, make, type, side) => {
    const answer = await upload({ bytes: await make().toBuffer(), type })
    expect([answer.status, answer.body]).toEqual([200, { avatarUrl: expect.stringMatching(/^\/uploads\/avatars\/[0-9a-f]{32}\.webp$/) }])
    expect(await sharp(await stored(answer.body.avatarUrl)).metadata()).toMatchObject({ format: 'webp', width: side, height: side })
    expect((await roz.ask('GET /user/me', { token: asha.token })).body.user.avatar).toBe(answer.body.avatarUrl)
  })

  test('a picture loses its metadata, and its rotation is applied', async () => {
    const tagged = await sharp({ create: { width: 60, height: 40, channels: 3, background: '#ff0000' } })
      .composite([
        {
          input: await sharp({ create: { width: 60, height: 20, channels: 3, background: '#0000ff' } })
            .png()
            .toBuffer(),
          top: 20,
          left: 0,
        },
      ])
      .withExif({ IFD0: { Copyright: 'a secret place' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '18/1 31/1 0/1' } })
      .withMetadata({ orientation: 3 })
      .jpeg()
      .toBuffer()
    expect((await sharp(tagged).metadata()).exif).toBeDefined()
    const bytes = await stored((await upload({ bytes: tagged, type: 'image/jpeg' })).body.avatarUrl)
    expect(bytes.includes('secret')).toBe(false)
    const meta = await sharp(bytes).metadata()
    expect([meta.exif, meta.xmp, meta.iptc, meta.orientation]).toEqual([undefined, undefined, undefined, undefined])
    // Rotated by 180 degrees: the blue half is on top.
    const [red, , blue] = await sharp(bytes).extract({ left: 20, top: 4, width: 1, height: 1 }).removeAlpha().raw().toBuffer()
    expect((blue as number) > 200 && (red as number) < 60).toBe(true)
  })

  test('a new picture replaces the old one, whose file is deleted', async () => {
    const meera = await roz.register('meera@x.test')
    const first = (await upload({ bytes: await picture(10, 10).png().toBuffer(), type: 'image/png' }, meera.token)).body.avatarUrl
    const second = (await upload({ bytes: await picture(10, 10).png().toBuffer(), type: 'image/png' }, meera.token)).body.avatarUrl
    expect(second).not.toBe(first)
    expect((await fetch(roz.url + first)).status).toBe(404)
    expect((await fetch(roz.url + second)).status).toBe(200)
    // For a process that ends before it has removed the file.
    const given = sql`select from job where kind = 'remove_file' and ${first}::text = '/uploads/' || key`
    expect(await roz.database.db.query(given)).toHaveLength(1)
  })

  test('of many pictures sent at once one is kept, and the files of the others are deleted', async () => {
    const ravi = await roz.register('ravi@x.test')
    const folder = path.join(roz.uploadsDir, 'avatars')
    const before = (await readdir(folder)).length
    const bytes = await picture(10, 10).png().toBuffer()
    const answers = await Promise.all(Array.from({ length: 6 }, () => upload({ bytes, type: 'image/png' }, ravi.token)))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    expect((await readdir(folder)).length).toBe(before + 1)
    expect(await stored((await roz.ask('GET /user/me', { token: ravi.token })).body.user.avatar)).not.toHaveLength(0)
  })

  test('a picture that came between is deleted, not the one before it', async () => {
    const kavi = await roz.register('kavi@x.test')
    const bytes = await picture(10, 10).png().toBuffer()
    const between = `avatars/${'ab'.repeat(16)}.webp`
    await writeFile(path.join(roz.uploadsDir, between), bytes)
    await upload({ bytes, type: 'image/png' }, kavi.token)
    const sending = await inTransaction(roz.database.db, async (tx) => {
      await tx.query(sql`update member set avatar = ${`/uploads/${between}`}::text where email = 'kavi@x.test'`)
      const sent = upload({ bytes, type: 'image/png' }, kavi.token)
      const waits = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await roz.database.db.query(waits)).length, { timeout: 10_000 }).toBe(1)
      return { sent }
    })
    expect((await sending.sent).status).toBe(200)
    expect((await fetch(`${roz.url}/uploads/${between}`)).status).toBe(404)
  })

  test('a picture whose row cannot be written leaves no file, and the account as it was', async () => {
    const tara = await roz.register('tara@x.test')
    const bytes = await picture(10, 10).png().toBuffer()
    const { avatarUrl } = (await upload({ bytes, type: 'image/png' }, tara.token)).body
    const files = () => readdir(path.join(roz.uploadsDir, 'avatars'))
    const before = await files()
    const mend = await breakRows(roz.database, 'member', "new.email = 'tara@x.test'")
    const { status } = await upload({ bytes, type: 'image/png' }, tara.token)
    await mend()
    expect([status, await files()]).toEqual([500, before])
    expect((await roz.ask('GET /user/me', { token: tara.token })).body.user.avatar).toBe(avatarUrl)
  })

  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>')
  test.each([
    ['a text', Buffer.from('hello, this is only a text'), 'text/plain'],
    ['a page declared as a picture', Buffer.from('<!doctype html><script>alert(1)</script>'), 'image/png'],
    ['an SVG', svg, 'image/svg+xml'],
    ['an SVG declared as a PNG', svg, 'image/png'],
    ['half a PNG', undefined, 'image/png'],
    ['only a PNG’s head', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png'],
    ['nothing at all', Buffer.alloc(0), 'image/png'],
  ])('%s is refused with a message and changes nothing', async (_what, bytes, type) => {
    const before = (await roz.ask('GET /user/me', { token: asha.token })).body.user.avatar
    const noisy = await sharp(Buffer.from(Array.from({ length: 30_000 }, (_, i) => (i * 7919) % 251)), {
      raw: { width: 100, height: 100, channels: 3 },
    })
      .png()
      .toBuffer()
    const answer = await upload({ bytes: bytes ?? noisy.subarray(0, noisy.length / 2), type })
    expect([answer.status, answer.body]).toEqual([400, { code: 'avatar_not_image', message: 'Please choose an image file.' }])
    expect((await roz.ask('GET /user/me', { token: asha.token })).body.user.avatar).toBe(before)
  })

  test.each(['text/html', 'application/octet-stream', ''])('a picture is accepted by its content, declared as “%s”', async (type) => {
    expect((await upload({ bytes: await picture(9, 9).png().toBuffer(), type })).status).toBe(200)
  })

  test.each(['heic', 'heix', 'mif1'])('HEIC of the brand %s is refused with its true reason', async (brand) => {
    const head = Buffer.concat([Buffer.from([0, 0, 0, 28]), Buffer.from(`ftyp${brand}\0\0\0\0mif1heicmiaf`, 'latin1'), Buffer.alloc(400)])
    const answer = await upload({ bytes: head, type: 'image/heic' })
    expect([answer.status, answer.body.message]).toEqual([
      400,
      'We cannot read HEIC pictures. Please save it as JPEG or take a screenshot of it.',
    ])
  })

  test('a small file that decodes to a huge picture is refused before it is decoded', async () => {
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#000000' }, limitInputPixels: false })
      .png({ compressionLevel: 9 })
      .toBuffer()
    expect(bomb.length).toBeLessThan(1_000_000)
    expect((await upload({ bytes: bomb, type: 'image/png' })).body.code).toBe('picture_pixels')
  })

  test('a picture of more than 24 megapixels is refused, one of 24 is accepted', async () => {
    const flat = (width: number, height: number) =>
      sharp({ create: { width, height, channels: 3, background: '#225522' } })
        .jpeg()
        .toBuffer()
    expect((await upload({ bytes: await flat(6000, 4001), type: 'image/jpeg' })).body.code).toBe('picture_pixels')
    expect((await upload({ bytes: await flat(6000, 4000), type: 'image/jpeg' })).status).toBe(200)
  })

  test('a member’s 31st picture in an hour answers 429 with Retry-After; other members are not affected', async () => {
    const [busy, other] = [await roz.register('busy@x.test'), await roz.register('calm@x.test')]
    const bytes = await picture(9, 9).png().toBuffer()
    for (let n = 0; n < 30; n++) expect((await upload({ bytes, type: 'image/png' }, busy.token)).status).toBe(200)
    const refused = await upload({ bytes, type: 'image/png' }, busy.token)
    expect([refused.status, refused.body.code, Number(refused.headers.get('retry-after')) > 3000]).toEqual([429, 'too_many_requests', true])
    // Its body is not read: half of it is enough for the answer.
    expect(await answerToHalf(busy.token)).toMatch(/^HTTP\/1.1 429 /)
    expect((await upload({ bytes, type: 'image/png' }, other.token)).status).toBe(200)
  })

  test('a picture sent in chunks of a few bytes is accepted whole', async () => {
    const bytes = await picture(60, 40).png().toBuffer()
    const form = new FormData()
    form.append('avatar', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'picture')
    const whole = new Response(form)
    const type = whole.headers.get('content-type') as string
    const body = Buffer.from(await whole.arrayBuffer())
    const sent = request(`${roz.url}/api/user/avatar`, {
      method: 'POST',
      headers: { authorization: `Bearer ${asha.token}`, 'content-type': type },
    })
    for (let at = 0; at < body.length; at += 3) sent.write(body.subarray(at, at + 3))
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    answer.resume()
    expect(answer.statusCode).toBe(200)
  })

  test('a file of more than 5 MB answers 413', async () => {
    const answer = await upload({ bytes: Buffer.alloc(5 * 1024 * 1024 + 1, 1), type: 'image/png' })
    expect([answer.status, answer.body.message]).toEqual([413, 'The image must be 5 MB or smaller.'])
  })

  test('another field, no file, or JSON instead of a form is refused', async () => {
    const bytes = await picture(9, 9).png().toBuffer()
    expect((await upload({ bytes, type: 'image/png' }, asha.token, 'file')).status).toBe(400)
    expect((await roz.ask('POST /user/avatar', { token: asha.token, form: new FormData() })).status).toBe(400)
    expect((await roz.ask('POST /user/avatar', { token: asha.token, body: {} })).status).toBe(415)
    expect((await roz.ask('POST /user/avatar', { form: new FormData() })).status).toBe(401)
  })
})

describe('an uploaded file', () => {
  test('is served as a WebP picture and nothing else, kept by no cache', async () => {
    const { avatarUrl } = (await upload({ bytes: await picture(9, 9).png().toBuffer(), type: 'image/png' })).body
    const answer = await fetch(roz.url + avatarUrl)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox",
      'content-disposition': `inline; filename="${avatarUrl.slice(avatarUrl.lastIndexOf('/') + 1)}"`,
    })
  })

  test.each(['', 'avatars/', 'avatars/..%2f..%2fsecret-key', '..%2fsecret-key', 'avatars/0.webp', 'avatars/%00.webp'])(
    'another name does not reach the disk: %j',
    async (name) => {
      expect((await fetch(`${roz.url}/uploads/${name}`)).status).toBe(404)
    },
  )
})
