/** Tests mails from their job to the mailbox: texts, links, retries. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { paise } from '@roz/core/money.ts'
import PostalMime from 'postal-mime'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import type { Mail } from '../adapters/mail/port.ts'
import { createSmtpMailer } from '../adapters/mail/smtp.ts'
import { sql } from '../db/sql.ts'
import { inTransaction } from '../db/transaction.ts'
import { createWorker } from '../jobs/worker.ts'
import { createSecrets } from '../secrets/secrets.ts'
import { useTestDatabase } from '../testing/database.ts'
import { TEST_MODES } from '../testing/modes.ts'
import { createMailJob, type MailJobDeps } from './mail-job.ts'
import { renderMail } from './mail-layout.ts'
import { MAIL_TEXTS, STOPPABLE } from './mail-texts.ts'
import type { MailPayload, MailTemplate } from './mail-payload.ts'
import { mailMember } from './mails.ts'
import { insertMember } from '../members/new-member.ts'
import { keepJobs } from '../testing/job-handlers.ts'

const secrets = createSecrets({ secretKey: 'a secret key for tests' })
const topupLimits = { min: paise(1000n), max: paise(3000n) }
const settings = { brandName: 'Roz', topupLimits, modes: TEST_MODES, supportEmail: 'support@roz.example', secrets }
const templates = Object.keys(MAIL_TEXTS) as MailTemplate[]
const ALL = {
  name: 'Asha <Verma>',
  origin: 'https://roz.example',
  tokenId: 'd7b2a1f0-0000-4000-8000-000000000001',
  bank: 'HDFC & Sons',
  account: '9012',
  amount: '₹10.00',
  reference: 'UTR42',
  reason: 'The account is not yours <b>',
  orderId: 'order_1',
  day: '2026-11-21',
  ticket: 'ROZ-7F3K2A',
  email: 'writer@x.test',
  rounds: '7',
  from: '2026-11-16',
  to: '2026-11-22',
  at: '21 Nov 2026, 10:00',
  sentences: 'The legs sum to zero. (all accounts: 5)',
  publicId: '0d8f4a60-1111-4000-8000-000000000002',
  owed: '₹5.00',
  open: 'yes',
  message: 'Line one\n<script>alert(1)</script>',
}

async function rendered(payload: unknown, change: Partial<MailJobDeps> = {}): Promise<Mail> {
  const sent: Mail[] = []
  const mailer = { send: async (mail: Mail) => void sent.push(mail), close: async () => undefined }
  await createMailJob({ ...settings, mailer, publicUrl: undefined, localUrl: 'http://localhost:8080', ...change })(
    payload as MailPayload,
    '7',
  )
  return sent[0] as Mail
}

describe.each(templates)('the mail %s', (template) => {
  test.each(['en', 'hi'] as const)('is complete in %s: escaped, with one absolute link, in text and HTML', async (language) => {
    const mail = await rendered({ to: 'asha@x.test', template, language, data: ALL })
    expect(mail.subject).not.toMatch(/undefined|[\r\n]/)
    expect(mail.text + mail.html).not.toMatch(/undefined|\[object|2026-11-21/)
    expect(mail.html).not.toMatch(/<script|<Verma>| & /)
    expect(mail.html).toContain(`<html lang="${language}">`)
    expect(mail.text).toContain('Asha <Verma>')
    if (language === 'hi') expect(mail.subject).toMatch(/[\u0900-\u097f]/)
    const links = [...mail.text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link)
    expect(links).toHaveLength(template === 'contact' || template === 'contact_reply' ? 0 : STOPPABLE.has(template) ? 2 : 1)
    expect(mail.unsubscribeUrl).toBe(STOPPABLE.has(template) ? links[1] : undefined)
    for (const link of links) expect(mail.html).toContain(`href="${link}"`)
    for (const link of links) expect(link.startsWith('https://roz.example/')).toBe(true)
  })
})

describe('a mail', () => {
  test('links to PUBLIC_URL, else to the origin of the member, else to this machine', async () => {
    const payload = (origin: string) => ({ to: 'a@x.test', template: 'welcome', language: 'en', data: { name: 'Asha', origin } })
    expect((await rendered(payload('http://127.0.0.1:1'), { publicUrl: 'https://roz.example' })).text).toContain(
      'https://roz.example/dashboard',
    )
    expect((await rendered(payload('http://127.0.0.1:1'))).text).toContain('http://127.0.0.1:1/dashboard')
    expect((await rendered(payload(''))).text).toContain('http://localhost:8080/dashboard')
  })

  test('has the brand name of the settings, and the same message id at each try', async () => {
    const payload = { to: 'a@x.test', template: 'welcome', language: 'en', data: { name: 'Asha', origin: 'https://roz.example' } }
    const [first, second] = [await rendered(payload, { brandName: 'Har Din' }), await rendered(payload, { brandName: 'Har Din' })]
    expect(first.subject).toBe('Welcome to Har Din')
    expect(first.messageId).toMatch(/^[0-9a-f]{32}@roz\.example$/)
    expect(second.messageId).toBe(first.messageId)
  })

  test('names the limits of adding money from the settings', async () => {
    const payload = { to: 'a@x.test', template: 'welcome', language: 'en', data: { name: 'Asha', origin: 'https://roz.example' } }
    expect((await rendered(payload)).text).toContain('Add ₹10 to ₹30 to your wallet')
    const other = { topupLimits: { min: paise(500n), max: paise(10_050n) } }
    expect((await rendered(payload, other)).text).toContain('Add ₹5 to ₹100.50 to your wallet')
    expect((await rendered({ ...payload, language: 'hi' }, other)).text).toContain('₹5 से ₹100.50')
  })

  test('has a subject of one line, even if a name contains line breaks', () => {
    expect(renderMail({ subject: 'Hello\r\nBcc: x\u2028y', paragraphs: [] }, 'en', 'Roz').subject).toBe('Hello Bcc: x y')
  })
})

describe('a mail job', () => {
  const database = useTestDatabase()

  test('is retried when the mail server fails, and logs no address', async () => {
    const { db } = database
    const raw: string[] = []
    let refusals = 2
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onRcptTo: (_address, _session, done) =>
        refusals-- > 0 ? done(Object.assign(new Error('who is asha@x.test?'), { responseCode: 450 })) : done(),
      onData: (stream, _session, done) =>
        void text(stream).then((content) => {
          raw.push(content)
          done()
        }),
    })
    server.on('error', () => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    const mailer = createSmtpMailer({
      url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
      from: 'no-reply@roz.example',
      brandName: 'Roz',
      needsTls: false,
    })
    const lines: string[] = []
    const worker = createWorker({
      db,
      handlers: keepJobs([], { mail: createMailJob({ ...settings, mailer, publicUrl: 'https://roz.example', localUrl: '' }) }),
      clockwork: [],
      now: async () => new Date(),
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    })
    try {
      await inTransaction(db, async (tx) => {
        const memberId = await insertMember(tx, {
          name: 'Asha',
          email: 'asha@x.test',
          language: 'hi',
          emailVerified: true,
          termsVersion: '1',
        })
        for (let again = 0; again < 2; again++) {
          await mailMember(tx, {
            memberId: memberId as bigint,
            template: 'draw_won',
            key: 'draw_won:1',
            data: { amount: '₹4.50', day: '2026-11-21' },
          })
        }
      })
      for (let attempt = 0; attempt < 3; attempt++) {
        expect(raw).toEqual([])
        await worker.runDue()
        await db.query(sql`select set_clock_offset((select offset_ms from clock_offset) + 60000)`)
      }
      expect(raw).toHaveLength(1)
      const mail = await PostalMime.parse(raw[0] ?? '')
      expect([mail.subject, mail.to?.[0]?.address]).toEqual(['आपने ₹4.50 जीते!', 'asha@x.test'])
      expect(lines.length).toBeGreaterThan(0)
      expect(lines.join('')).not.toContain('asha@x.test')
      expect(await db.one(sql`select attempts, last_error from job where key = 'draw_won:1'`)).toEqual({ attempts: 3, last_error: null })
    } finally {
      await mailer.close()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  })

  test('is not made for an erased account', async () => {
    const { db } = database
    await inTransaction(db, async (tx) => {
      const memberId = (await insertMember(tx, {
        name: 'Gone',
        email: 'gone@x.test',
        language: 'en',
        emailVerified: true,
        termsVersion: '1',
      })) as bigint
      await tx.query(sql`update member set email = null, deleted_at = roz_now() where id = ${memberId}::bigint`)
      await mailMember(tx, { memberId, template: 'welcome', key: 'welcome:gone', data: {} })
    })
    expect(await db.query(sql`select 1 from job where key = 'welcome:gone'`)).toEqual([])
  })
})
