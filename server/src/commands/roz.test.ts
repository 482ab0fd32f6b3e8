/** The table of commands: its page, its help, and the refusal of every word that it does not have. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { PRODUCTION } from '../testing/production.ts'
import { COMMANDS, commandsPage, roz } from './roz.ts'

const NOWHERE = { DATA_DIR: '/nowhere' }
async function run(words: readonly string[], env: Readonly<Record<string, string>> = NOWHERE) {
  const said: string[] = []
  const code = await roz({ env, words, say: (line) => void said.push(line), input: Readable.from([]) })
  return { code, text: said.join('\n') }
}

test('docs/roz.md is the table', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/roz.md'), 'utf8')
  expect(page, 'npx roz --page > docs/roz.md').toBe(commandsPage())
})

test('the help names every command, and a noun’s help only its own', async () => {
  const { code, text } = await run(['--help'])
  expect(code).toBe(0)
  for (const words of COMMANDS) expect(text).toContain(`  roz ${words}`)
  const { text: ofBooks } = await run(['books', '--help'])
  expect(ofBooks.match(/roz [a-z]+ [a-z]+/g)).toEqual(['roz books list', 'roz books retry', 'roz books cover'])
})

test('serve, and no word, start the server', async () => {
  expect([(await run([])).code, (await run(['serve'])).code]).toEqual([undefined, undefined])
})

test.each([
  [['statsu'], '“statsu”. Commands: serve · status · audit · books list|retry|cover · work list|retry'],
  [['toString'], 'There is no command “toString”.'],
  [['parked'], 'There is no command “parked”. It is now: roz work list.'],
  [['after-restore'], 'It is now: roz restore finish.'],
  [['rotate-log-key'], 'It is now: roz keys rotate-log.'],
  [['books'], '“roz books” needs a second word:'],
  [['books', 'cove'], '“roz books” has no “cove”:'],
  [['books', 'cover', 'all'], 'It takes no further word, not “all”:'],
  [['serve', 'now'], 'It takes no further word, not “now”:'],
  [['work', 'retry'], 'roz work retry WORK ITEM'],
  [['archive', 'move', '--restore', '2025-03'], 'roz archive move --before MONTH'],
  [['keys', 'ticket'], 'roz keys ticket MEMBER'],
  [['keys', 'ticket', 'Asha'], 'roz keys ticket MEMBER'],
  [['staff', 'reset-totp'], 'roz staff reset-totp MAIL-ADDRESS'],
  [['settings', 'list', '--xml'], 'roz settings list [--page'],
])('%j runs nothing: exit code 2, and the words that exist', async (words, says) => {
  expect(await run(words)).toEqual({ code: 2, text: expect.stringContaining(says) })
})

const needed: Readonly<Record<string, readonly string[]>> = {
  'work retry': ['order', '1f2e'],
  'keys ticket': ['1002'],
  'staff reset-totp': ['owner@roz.example'],
  'backup note': ['pgbackrest'],
  'archive move': ['--before', '2025-03', '--to', '/tmp/months'],
  'archive load': ['2025-03'],
}

test('every command of a database says where it looks for one', async () => {
  for (const words of COMMANDS.filter((one) => !/^(serve|settings)/.test(one))) {
    const { code, text } = await run([...words.split(' '), ...(needed[words] ?? [])])
    expect([words, code, /DATABASE_URL/.test(text)]).toEqual([words, 2, true])
  }
})

test('every command of a database that does not answer says so with its address, and no command makes a key', async () => {
  const closed = { ...NOWHERE, DATABASE_URL: 'postgres://roz_app:hidden@127.0.0.1:1/roz' }
  for (const words of COMMANDS.filter((one) => !/^(serve|settings)/.test(one))) {
    const { code, text } = await run([...words.split(' '), ...(needed[words] ?? [])], closed)
    const says = words.startsWith('keys') ? 'there is no key: set SECRET_KEY' : 'connect ECONNREFUSED 127.0.0.1:1'
    expect([words, code, text.includes(says), text.includes('hidden')]).toEqual([words, 2, true, false])
  }
})

test.each([['audit'], ['status'], ['backup note x']])(
  'an address that is no PostgreSQL is refused: %s does not fall back to the local database',
  async (words) => {
    const { code, text } = await run(words.split(' '), { DATABASE_URL: 'mysql://u:hidden@db/roz' })
    expect([code, text.includes('hidden')]).toEqual([2, false])
    expect(text).toMatch(/^Roz cannot start with these settings:\n  - DATABASE_URL: an address such as postgres:/)
  },
)

test('settings check says what a start would say, without a value', async () => {
  const database = { DATABASE_URL: 'postgres://roz_app@db/roz?sslmode=verify-full' }
  expect(await run(['settings', 'check'], { ...PRODUCTION, ...database })).toEqual({
    code: 0,
    text: 'The settings are complete: production, the database of DATABASE_URL, payments by cashfree.',
  })
  const { code, text } = await run(['settings', 'check'], { ...PRODUCTION, ADMIN_PASSWORD: 'short' })
  expect([code, text.split('\n')]).toEqual([
    1,
    [
      'Roz cannot start with these settings:',
      '  - DATABASE_URL is not set',
      '  - ADMIN_PASSWORD: production needs at least 12 characters',
      'docs/settings.md explains each of them.',
    ],
  ])
})
