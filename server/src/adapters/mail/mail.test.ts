/** Tests every mailer by one suite: SMTP with a real server, and the catcher with its table. */
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { describe, expect, test } from 'vitest'
import { useTestDatabase } from '../../testing/database.ts'
import { sql } from '../../db/sql.ts'
import { PUSH_SERVICE_CA, PUSH_SERVICE_KEY } from '../../testing/push-service.ts'
import { createCatcher } from './catcher.ts'
import { type Mail, MailRefusedError, type Mailer } from './port.ts'
import { createSmtpMailer } from './smtp.ts'

type Received = { to: string; subject: string; text: string; html: string }
type Rig = { mailer: Mailer; received: () => Promise<Received[]>; close: () => Promise<void> }

/** A mail server that accepts every mail, unless it is told to refuse. */
async function startSmtp({ offersTls = false } = {}) {
  const raw: { to: string[]; content: string }[] = []
  let refuse = 0
  let lasting = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: offersTls ? [] : ['STARTTLS'],
    key: PUSH_SERVICE_KEY,
    cert: PUSH_SERVICE_CA,
    onRcptTo: (_address, _session, done) =>
      lasting === 0 ? done() : done(Object.assign(new Error('no asha@x.test here'), { responseCode: lasting })),
    onData: (stream, session, done) => {
      void text(stream).then((content) => {
        if (refuse > 0) {
          refuse--
          return done(Object.assign(new Error('not now, asha@x.test'), { responseCode: 451 }))
        }
        raw.push({ to: session.envelope.rcptTo.map((rcpt) => rcpt.address), content })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.server.address() as AddressInfo
  return {
    raw,
    url: `smtp://127.0.0.1:${port}`,
    refuseNext: () => refuse++,
    refuseLastingly: (code: number) => {
      lasting = code
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

async function smtpRig(): Promise<Rig> {
  const server = await startSmtp()
  const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: false })
  return {
    mailer,
    received: () =>
      Promise.all(
        server.raw.map(async ({ to, content }) => {
          const mail = await PostalMime.parse(content)
          return { to: to.join(), subject: mail.subject ?? '', text: mail.text?.trim() ?? '', html: mail.html?.trim() ?? '' }
        }),
      ),
    close: async () => {
      await mailer.close()
      await server.close()
    },
  }
}

const database = useTestDatabase()

async function catcherRig(): Promise<Rig> {
  await database.db.query(sql`delete from caught_mail`)
  const catcher = createCatcher(database.db)
  const received = async () =>
    (await catcher.listCaught()).map(({ to, subject, text, html }) => ({ to, subject, text: text.trim(), html: html.trim() })).reverse()
  return { mailer: catcher, received, close: () => catcher.close() }
}

const mail = (change: Partial<Mail> = {}): Mail => ({
  to: 'asha@x.test',
  subject: 'नमस्ते ₹10 — hello',
  text: 'Line one\n.\nFrom here: https://roz.example/verify-email?token=abc\nअच्छा',
  html: '<p>नमस्ते &amp; hello</p>',
  messageId: 'one@roz.example',
  ...change,
})

describe.each([
  ['smtp', smtpRig],
  ['catcher', catcherRig],
])('a mailer: %s', (_name, start) => {
  test('delivers subject, text and HTML in any script', async () => {
    const rig = await start()
    try {
      await rig.mailer.send(mail())
      expect(await rig.received()).toEqual([{ to: 'asha@x.test', subject: mail().subject, text: mail().text, html: mail().html }])
    } finally {
      await rig.close()
    }
  })

  test('delivers concurrent mails, each to its own address', async () => {
    const rig = await start()
    try {
      await Promise.all(
        Array.from({ length: 8 }, (_, i) => rig.mailer.send(mail({ to: `member${i}@x.test`, messageId: `${i}@roz.example` }))),
      )
      expect((await rig.received()).map(({ to }) => to).sort()).toEqual(Array.from({ length: 8 }, (_, i) => `member${i}@x.test`))
    } finally {
      await rig.close()
    }
  })

  test('a subject with line breaks adds no header and no recipient', async () => {
    const rig = await start()
    try {
      await rig.mailer.send(mail({ subject: 'Hello\r\nBcc: other@x.test', messageId: 'two@roz.example' })).catch(() => undefined)
      for (const { to } of await rig.received()) expect(to).toBe('asha@x.test')
    } finally {
      await rig.close()
    }
  })
})

describe('SMTP', () => {
  test('sends the sender, the reply address, and the same message id at each try', async () => {
    const server = await startSmtp()
    const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: false })
    try {
      server.refuseNext()
      await expect(mailer.send(mail({ replyTo: 'writer@x.test' }))).rejects.toThrow('the mail server did not take the mail (EMESSAGE, 451)')
      await mailer.send(mail({ replyTo: 'writer@x.test' }))
      const parsed = await PostalMime.parse(server.raw[0]?.content ?? '')
      expect(server.raw).toHaveLength(1)
      expect([parsed.from, parsed.replyTo?.[0]?.address, parsed.messageId]).toEqual([
        { name: 'Roz', address: 'no-reply@roz.example' },
        'writer@x.test',
        '<one@roz.example>',
      ])
    } finally {
      await mailer.close()
      await server.close()
    }
  })

  test.each([
    [550, true],
    [554, true],
    [450, false],
    [530, false],
  ])('a recipient refused with %d is a permanent refusal: %s', async (code, isForGood) => {
    const server = await startSmtp()
    const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: false })
    server.refuseLastingly(code)
    const error: unknown = await mailer.send(mail()).catch((thrown: unknown) => thrown)
    expect([error instanceof MailRefusedError, (error as Error).message]).toEqual([isForGood, expect.not.stringContaining('asha')])
    await mailer.close()
    await server.close()
  })

  test.each([
    ['offers no TLS', false],
    ['has an untrusted certificate', true],
  ])('if TLS is required, a server that %s gets no mail', async (_what, offersTls) => {
    // Tests of push services trust this certificate for the whole process, and files share a process.
    const trusted = getCACertificates('default')
    setDefaultCACertificates(getCACertificates('bundled'))
    const server = await startSmtp({ offersTls })
    const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: true })
    await expect(mailer.send(mail())).rejects.toThrow('the mail server did not take the mail')
    expect(server.raw).toEqual([])
    await mailer.close()
    await server.close()
    setDefaultCACertificates(trusted)
  })

  test('an unreachable server is a failure, so no mail is lost silently', async () => {
    const server = await startSmtp()
    await server.close()
    const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: false })
    await expect(mailer.send(mail())).rejects.toThrow()
    await mailer.close()
  })
})

describe('the catcher', () => {
  test('keeps one mail per message id, and lists the newest first, by address in any case, with the links', async () => {
    await database.db.query(sql`delete from caught_mail`)
    const catcher = createCatcher(database.db)
    await catcher.send(mail())
    await catcher.send(mail())
    await catcher.send(mail({ to: 'Other@x.test', messageId: 'b', text: 'https://a.example/x https://a.example/x, (http://b.example)' }))
    expect((await catcher.listCaught()).map(({ to }) => to)).toEqual(['Other@x.test', 'asha@x.test'])
    expect((await catcher.listCaught('ASHA@X.TEST'))[0]?.links).toEqual(['https://roz.example/verify-email?token=abc'])
    expect((await catcher.listCaught('other@x.test'))[0]?.links).toEqual(['https://a.example/x', 'http://b.example'])
    expect(await catcher.listCaught('nobody@x.test')).toEqual([])
  })

  test('keeps the newest 10,000', async () => {
    const catcher = createCatcher(database.db)
    await database.db.query(sql`
      insert into caught_mail (message_id, recipient, subject, body_text, body_html) select 'm' || n, 'bulk@x.test', n::text, '', '' from generate_series(1, 10050) n`)
    await catcher.send(mail({ messageId: 'newest', subject: 'the newest' }))
    const kept = await catcher.listCaught()
    expect([kept.length, kept[0]?.subject, kept.at(-1)?.subject]).toEqual([10_000, 'the newest', '52'])
  })
})

test('a mail that can be ended names the address for it in the headers of RFC 8058, any other does not', async () => {
  const server = await startSmtp()
  const mailer = createSmtpMailer({ url: server.url, from: 'no-reply@roz.example', brandName: 'Roz', needsTls: false })
  try {
    await mailer.send(mail({ unsubscribeUrl: 'https://roz.example/api/unsubscribe?token=abc' }))
    await mailer.send(mail({ messageId: 'two@roz.example' }))
    const [ending, other] = server.raw.map(({ content }) => content)
    expect(ending).toMatch(/^List-Unsubscribe: <https:\/\/roz\.example\/api\/unsubscribe\?token=abc>\r$/m)
    expect(ending).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m)
    expect(other).not.toContain('List-Unsubscribe')
  } finally {
    await mailer.close()
    await server.close()
  }
})
