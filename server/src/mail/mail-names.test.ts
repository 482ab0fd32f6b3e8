import { paise } from '@roz/core/money.ts'
import { TEST_FRAME, TEST_MODES } from '../testing/modes.ts'
import { expect, test } from 'vitest'
import type { Mail } from '../adapters/mail/port.ts'
import { testSecrets } from '../testing/calls.ts'
import { createMailJob } from './mail-job.ts'
import type { MailPayload } from './mail-payload.ts'
import { mailWords } from './mail-texts.ts'

test('a name with line breaks adds no paragraph, header or recipient to a mail', async () => {
  const sent: Mail[] = []
  const send = createMailJob({
    mailer: { send: async (mail) => void sent.push(mail), close: async () => undefined },
    brandName: 'Roz',
    topupLimits: { min: paise(1000n), max: paise(3000n) },
    modes: TEST_MODES,
    supportEmail: 'support@roz.example',
    publicUrl: 'https://roz.example',
    localUrl: 'http://localhost:8080',
    secrets: testSecrets,
  })
  const name = 'Asha\r\nBcc: other@x.test\n\n\u2028You have won: https://evil.example'
  await send({ to: 'asha@x.test', template: 'verify', language: 'en', data: { name, origin: '', tokenId: 'x' } }, '1')
  await send(
    { to: 'help@x.test', template: 'contact', language: 'en', data: { name, ticket: 'T', email: 'a@x.test', message: 'Hello\nyou' } },
    '2',
  )
  expect(sent.map((mail) => mail.to)).toEqual(['asha@x.test', 'help@x.test'])
  for (const { subject, text, html } of sent) {
    expect(subject).not.toMatch(/[\r\n]/)
    expect(text).not.toMatch(/^(Bcc|You have won)/m)
    expect(html).not.toMatch(/<(p|br)[^>]*>(Bcc|You have won)/)
  }
  expect(sent[1]?.text).toContain('Hello\nyou')
})

test('a mail about a new bank account that was queued without its amount is readable', () => {
  const data = { name: 'Asha', origin: '', bank: 'HDFC Bank', account: '9012', tokenId: 'x' }
  for (const language of ['en', 'hi'] as const) {
    const words = mailWords({ to: 'a@x.test', template: 'new_bank_account', language, data } as unknown as MailPayload, TEST_FRAME)
    expect(JSON.stringify(words)).not.toMatch(/[{]\w+[}]/)
    expect(words.paragraphs.join(' ')).toContain('9012')
  }
})

test('a name from right to left is isolated: it does not turn the words and amounts around it', () => {
  const data = { name: 'عبدالکلام آزاد', origin: '', tokenId: 'x' }
  const words = mailWords({ to: 'a@x.test', template: 'verify', language: 'en', data } as unknown as MailPayload, TEST_FRAME)
  expect(words.paragraphs[0]).toBe('Hello \u2068عبدالکلام آزاد\u2069,')
})
