/**
 * The real product in a language that it does not know: an invented one is added to a copy of the sources as its folder and one line.
 * - Its words are the Hindi ones with a sign of their own, so that a Hindi text among them is found.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parsePo, stringifyPo } from 'pofile-ts'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyWithLanguage } from '../../harness/added-language.ts'
import { addMoney, eventually, mailsTo, PASSWORD, type Person, PHONE, verify } from '../../harness/people.ts'
import { ADMIN, type Program, startProgram } from '../../harness/program.ts'

const SIGN = 'ॐ'
const email = 'asha@x.test'
const copy = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-invented-')))
let roz: Program
let asha: Person

beforeAll(async () => {
  copyWithLanguage(copy, "xx: { name: 'Invented', inIt: 'in Invented', locale: 'hi-IN-u-nu-latn', dayPeriod: 'short' }")
  const folder = path.join(copy, 'locales/xx')
  cpSync(path.join(copy, 'locales/hi'), folder, { recursive: true })
  rmSync(path.join(copy, 'locales/hi/fonts'), { recursive: true })
  for (const file of globSync('*.po', { cwd: folder }).map((name) => path.join(folder, name))) {
    const po = parsePo(readFileSync(file, 'utf8'))
    for (const item of po.items) item.msgstr = item.msgstr.map((words) => `${words} ${SIGN}`)
    writeFileSync(file, stringifyPo(po, { foldLength: 0 }))
  }
  const web = path.join(copy, 'built')
  execFileSync(process.execPath, ['web/build.ts', '--out', `${web}-first`], { cwd: copy })
  renameSync(`${web}-first`, web)
  roz = await startProgram({ sources: copy, env: { WEB_DIR: web } })
}, 400_000)
afterAll(() => rmSync(copy, { recursive: true, force: true }))

/** Plain fetch: the contract of this process does not know the language. */
async function send(call: string, body?: unknown, token?: string): Promise<Record<string, unknown>> {
  const [method = '', address = ''] = call.split(' ')
  const response = await fetch(`${roz.url}/api${address}`, {
    method,
    headers: {
      'accept-language': 'xx,en;q=0.5',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

test('a visitor signs up, and gets the mail in it', async () => {
  const answer = await send('POST /auth/register', { name: 'Asha Verma', email, phone: PHONE, password: PASSWORD })
  expect(answer).toMatchObject({ status: 201, user: { language: 'xx' } })
  const { token, user } = answer as { token: string; user: { id: string } }
  asha = { name: 'Asha Verma', email, token, id: user.id }
  await verify(roz.url, email)
  const [mail] = await mailsTo(roz.url, email)
  expect(mail?.subject).toMatch(new RegExp(`[\u0900-\u097f].* ${SIGN}$`))
  expect(mail?.text.split(SIGN).length).toBeGreaterThan(4)
})

test('a member joins, and what is refused or booked is said in it', async () => {
  const joined = () => send('POST /rounds/join', undefined, asha.token)
  expect(await joined()).toMatchObject({ status: 409, code: 'insufficient_balance', message: expect.stringMatching(`${SIGN}$`) })
  await addMoney(roz, asha, 10)
  expect(await joined()).toMatchObject({ status: 200 })
  const { transactions } = await send('GET /wallet/transactions', undefined, asha.token)
  expect(JSON.stringify(transactions).split(SIGN)).toHaveLength(3)
})

test('a message by the contact form is confirmed in it', async () => {
  const message = 'Where do I find my receipt?'
  expect(await send('POST /contact', { name: 'Ravi Kumar', email: 'ravi@x.test', message })).toMatchObject({ status: 201 })
  const mail = await eventually('the confirmation', async () => (await mailsTo(roz.url, 'ravi@x.test'))[0])
  expect(mail.subject).toMatch(new RegExp(`${SIGN}$`))
})

test('an announcement has words in it, and none can be made without them', async () => {
  const { token } = (await send('POST /admin/login', { email: ADMIN.email, password: ADMIN.password })) as { token: string }
  const { now } = (await (await fetch(`${roz.url}/dev/clock`)).json()) as { now: string }
  const made = (text: object) => {
    const endsAt = new Date(Date.parse(now) + 3_600_000).toISOString()
    return send('POST /admin/announcements', { text, link: null, startsAt: now, endsAt }, token)
  }
  expect(await made({ en: 'News', hi: 'समाचार' })).toMatchObject({ status: 400, fields: { 'text.xx': expect.any(String) } })
  expect(await made({ en: 'News', hi: 'समाचार', xx: `समाचार ${SIGN}` })).toMatchObject({ status: 200 })
  expect(await send('GET /auth/me', undefined, asha.token)).toMatchObject({ announcements: [{ text: { xx: `समाचार ${SIGN}` } }] })
})

test('a page is served in it, with a picture of its own for shared links', async () => {
  const html = await (await fetch(`${roz.url}/xx`)).text()
  expect(html).toContain('<html lang="xx"')
  expect(html.split(SIGN).length).toBeGreaterThan(20)
  const address = /property="og:image" content="[^"]*(\/share\/[^"]*-xx\.[^"]*\.png)"/.exec(html)?.[1] ?? ''
  const [own, hindi] = await Promise.all([address, '/share/home-hi.png'].map((path) => fetch(roz.url + path)))
  const bytes = Buffer.from(await (own as Response).arrayBuffer())
  expect(await sharp(bytes).metadata()).toMatchObject({ format: 'png', width: 1200, height: 630 })
  expect(bytes.equals(Buffer.from(await (hindi as Response).arrayBuffer()))).toBe(false)
})

test('no type asks for more than the line and the folder', { timeout: 400_000 }, () => {
  const whole = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as object
  writeFileSync(path.join(copy, 'tsconfig.json'), JSON.stringify({ ...whole, include: ['contract', 'core', 'server'] }))
  for (const project of ['.', 'web']) {
    const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', project, '--noEmit', '--pretty', 'false'], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(stdout, project).toBe('')
  }
})
