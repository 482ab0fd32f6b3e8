/**
 * Every page, screen, mail, notice, push message, share picture and API text in each mode of the operator, in both languages: none
 * says a word of what is off.
 * - The addresses come from the product's own lists, so a new page, tab, mail or notice is covered without an edit.
 * - By default all switches are off at once. With ROZ_TEST_ALL each is also off alone.
 */
import type { PublicPages } from '@roz/contract/public-pages.ts'
import { addressIn, type Language, LANGUAGES } from '@roz/core/language.ts'
import { isNoticeKind, NOTICES, noticeText } from '@roz/core/notices.ts'
import { resultNews } from '@roz/core/result-news.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import { readConfig } from '@roz/server/config/config.ts'
import { mailWords, MAIL_TEXTS } from '@roz/server/mail/mail-texts.ts'
import type { MailPayload } from '@roz/server/mail/mail-payload.ts'
import { TRANSFER_ACCOUNT } from '@roz/server/testing/wallet-world.ts'
import { paths, publicPath, type PublicPage, publicPaths } from '@roz/web/paths.ts'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { handOver, newVisit, openBrowser, settle, slotOf, type Visit, WIDE } from '../../harness/browser.ts'
import { ask } from '../../harness/calls.ts'
import { adminToken, joinRound, newMember, passRound, type Person, publishDraft } from '../../harness/people.ts'
import { PORTAL_TABS } from '../../harness/portal-tabs.ts'
import { freePorts, newDataDir, type Program, startProgram, startUntouched, webDir } from '../../harness/program.ts'
import { spokenIn, spokenOn } from '../../harness/spoken.ts'

type Words = Readonly<Record<Language, RegExp>>
type Env = Readonly<Record<string, string>>
type Mode = { readonly name: string; readonly env: Env; readonly never: readonly Words[]; readonly said: readonly Words[] }

const A_DRAW: Words = {
  en: /\b(?:win|wins|won|winn\w*|chances?|rewards?|prizes?|draws?|drawn|drawing|lucky|lotter\w*|gambling|giveaway\w*)\b/i,
  hi: /ड्रॉ|विजेता|इनाम|मौक[ाे]|जीत|लॉटरी|जुआ|किस्मत/,
}
const ADDING: Words = {
  en: /least you can add|Add ₹\d+ (?:or more|to)|From ₹\d+ to ₹\d+ per|at a time, by UPI|You can add ₹|SDK|Go to payment/,
  hi: /कम से कम ₹\d+ जोड़|₹[\d.]+ से ₹[\d.]+(?: जोड़ें|,| तक जोड़)|SDK|पेमेंट पर जाएँ/,
}
const TAKING_OUT: Words = {
  en: /[Yy]ou can withdraw|processed in 24|To my bank account|take it out|take your balance|withdraw or donate|from ₹\d[\d.]* up to/,
  hi: /24 से 48 घंटे|मेरे बैंक खाते|निकाल लें|बैलेंस ले जा|पूरे बैलेंस तक/,
}
const ONE_WINNER: Words = {
  en: /one winner|\b1 in (?!1\b)\d|the winner's reward|1 chance|one of us|the winner picked|The winner is|chosen this winner/,
  hi: /एक विजेता|(?<!\b1|\d)(?:[02-9]|\d{2,}) में 1(?!\d)|किसी एक को इनाम|विजेता का इनाम|इस विजेता को हम खुद/,
}
const A_GATEWAY: Words = {
  en: /cashfree|payment partner|original payment method|AutoPay|refunded within|Go to payment|SDK/i,
  hi: /cashfree|पेमेंट पार्टनर|ऑटो-पे|जिस तरीके से आपने पेमेंट|रिफ़ंड माँगें|पेमेंट पर जाएँ|SDK/i,
}
/** True in every mode: the terms say that this is no lottery, and the page at the fixed address that there is no giveaway. */
const TRUE_ANYWAY = [
  'Not a lottery, not gambling',
  'is not a lottery or gambling',
  'No giveaway',
  'न लॉटरी, न जुआ',
  'न लॉटरी है, न जुआ',
  'कोई इनामी योजना नहीं',
]
/** A bank's decision about a dispute, on the tab of disputes. */
const OF_A_DISPUTE = ['Won', 'जीत']
/** The name of a step in the report of the verifier. */
const STEP_NAME = 'winners'

const NO_DRAWS: Mode = { name: 'DRAW=off', env: { DRAW: '0' }, never: [A_DRAW], said: [] }
const NO_TOPUPS: Mode = {
  name: 'PAYMENTS_LIVE=off',
  env: { PAYMENTS_LIVE: '0' },
  never: [ADDING],
  said: [{ en: /Adding money is paused/, hi: /पैसे जोड़ना अभी रुका हुआ है/ }],
}
const NO_WITHDRAWALS: Mode = {
  name: 'CASHOUT=off',
  env: { CASHOUT: '0' },
  never: [TAKING_OUT],
  said: [{ en: /Withdrawals are paused/, hi: /पैसे निकालना अभी रुका हुआ है/ }],
}
const SHARED: Mode = {
  name: 'SPLIT_POLICY=B',
  env: { SPLIT_POLICY: 'B', WINNERS_B: '3' },
  never: [ONE_WINNER],
  said: [
    { en: /30% shared by 3 winners/, hi: /30% 3 विजेताओं के लिए/ },
    { en: /chance of each is 3 in 100/, hi: /मौका 100 में 3/ },
    { en: /^2 in 2 participants$/, hi: /^2 सदस्यों में 2$/ },
    { en: /could have chosen these winners/, hi: /इन विजेताओं को हम खुद/ },
  ],
}
const TAXED: Mode = {
  name: 'TDS_PERCENT=30',
  env: { TDS_PERCENT: '30' },
  never: [],
  said: [
    { en: /30% of each reward is withheld as tax/, hi: /हर इनाम में से 30% टैक्स/ },
    { en: /Tax of ₹0\.\d\d was withheld/, hi: /₹0\.\d\d टैक्स काटा गया/ },
    { en: /Winner: .*₹0\.\d\d after tax/, hi: /विजेता: .*टैक्स काटकर ₹0\.\d\d/ },
  ],
}
const BY_TRANSFER: Mode = {
  name: 'PAYMENTS=bank-transfer',
  env: { PAYMENTS: 'bank-transfer', ...TRANSFER_ACCOUNT },
  never: [A_GATEWAY],
  said: [
    { en: /goes back as a withdrawal/, hi: /निकासी से वापस मिलते हैं/ },
    { en: /lines of its statement encrypted/, hi: /स्टेटमेंट की लाइनें हम एन्क्रिप्ट/ },
  ],
}
const together = (...modes: readonly Mode[]): Mode => ({
  name: modes.map(({ name }) => name).join(' '),
  env: Object.assign({}, ...modes.map(({ env }) => env)) as Env,
  never: modes.flatMap(({ never }) => never),
  said: modes.flatMap(({ said }) => said),
})
const MODES: readonly Mode[] = [
  together(NO_DRAWS, NO_TOPUPS, NO_WITHDRAWALS),
  together(SHARED, TAXED, BY_TRANSFER),
  ...(process.env.ROZ_TEST_ALL === undefined ? [] : [NO_DRAWS, NO_TOPUPS, NO_WITHDRAWALS, SHARED, TAXED, BY_TRANSFER]),
]

const MEMBER_SCREENS = [
  paths.dashboard,
  paths.wallet,
  `${paths.wallet}#withdraw`,
  paths.impact,
  paths.history,
  paths.year,
  paths.profile,
  paths.notifications,
  paths.myTicket,
]
const DOORS = [paths.login, paths.register, paths.forgotPassword]

describe.each(MODES)('with $name', (mode) => {
  const hasDraws = mode.env['DRAW'] !== '0'
  const { modes, brandName } = readConfig(mode.env).business
  const heard: Record<Language, string[]> = { en: [], hi: [] }
  const found: string[] = []
  let roz: Program
  let visit: Visit
  /** One of two members; where only one of them won, that one, so that the words about a reward are said. */
  let member: Person
  let day: IstDay

  /** Notes what is said somewhere, and each forbidden word of it. */
  function judge(where: string, language: Language, texts: readonly string[]): void {
    heard[language].push(...texts)
    for (const text of texts) {
      if (text === STEP_NAME) continue
      if (where.endsWith('tab=disputes') && OF_A_DISPUTE.includes(text)) continue
      const rest = TRUE_ANYWAY.reduce((left, allowed) => left.replaceAll(allowed, ''), text)
      for (const words of mode.never) {
        const word = words[language].exec(rest)?.[0]
        if (word !== undefined) found.push(`${where} (${language}) says “${word}”: ${text.slice(0, 200)}`)
      }
    }
  }
  /** It tells of a withdrawal that was requested while they were on. */
  const isOfAWithdrawal = (kind: string): boolean => !modes.withdrawalsOn && /^withdrawal_|^new_bank_account$/.test(kind)
  /** It tells of a debit, a refund or a dispute that only a gateway can have. */
  const isOfAGateway = (kind: string): boolean => modes.byTransfer === true && /autopay|^refund_/.test(kind)
  function expectNothingFound(): void {
    expect([...new Set(found.splice(0))]).toEqual([])
  }

  beforeAll(async () => {
    // Money is added, and a day with two members passes, before adding is switched off.
    const { PAYMENTS_LIVE: _, CASHOUT: __, PAYMENTS: ___, ...before } = mode.env
    const dataDir = newDataDir()
    const port = await freePorts()
    roz = await startProgram({ env: before, dataDir, port })
    const ravi = await newMember(roz, { name: 'Ravi Kumar', rupees: 10 })
    const asha = await newMember(roz, { name: 'Asha Verma', rupees: 10 })
    await joinRound(roz.url, ravi)
    await joinRound(roz.url, asha)
    day = await passRound(roz.url, asha)
    const [round] = (await ask(roz.url, 'roundHistory', { token: ravi.token, query: {} })).output.results
    member = round?.isWinner === true ? ravi : asha
    await publishDraft(roz.url)
    if (['PAYMENTS_LIVE', 'CASHOUT', 'PAYMENTS'].some((name) => mode.env[name] !== undefined)) {
      await roz.stop()
      roz = await startUntouched({ env: mode.env, dataDir, port })
    }
    // The gateway's script is of another host: where nothing can be added, a request for it is a complaint.
    const hosts = [roz.url, ...(modes.topupsOn && modes.byTransfer !== true ? [roz.sandboxUrl] : [])].map((url) => new URL(url).host)
    visit = await newVisit(await openBrowser(), { hosts, size: WIDE })
  })

  test('every public page', async () => {
    const { page } = visit
    await page.goto(`${roz.url}/healthz`)
    const stories = (await ask(roz.url, 'stories')).output.stories
    for (const language of LANGUAGES) {
      const pages = (Object.keys(publicPaths) as PublicPage[]).map((name) => publicPath(name, language))
      const below = [
        `${publicPath('verify', language)}/${day}`,
        ...stories.map(({ id }) => `${publicPath('impactStories', language)}/${id}`),
      ]
      for (const address of [...pages, ...below, addressIn(language, '/offline'), addressIn(language, '/nothing-here')]) {
        const html = await (await fetch(roz.url + address)).text()
        judge(address, language, await spokenIn(page, html))
      }
      const manifest = await (await fetch(roz.url + addressIn(language, '/manifest.webmanifest'))).text()
      judge('the manifest', language, [manifest])
    }
    expectNothingFound()
  })

  test('the page that checks a day, with its result', async () => {
    const { page } = visit
    for (const language of LANGUAGES) {
      await page.goto(`${roz.url}${publicPath('verify', language)}/${day}`)
      await page.locator('[data-verdict] > [data-when]:not([hidden])').first().waitFor()
      judge('the checked day', language, await spokenOn(page))
    }
    expectNothingFound()
  })

  test('every picture of a shared link', async () => {
    const pages = (await import(pathToFileURL(path.join(webDir(), 'pages.mjs')).href)) as PublicPages
    for (const language of LANGUAGES)
      for (const page of Object.keys(publicPaths)) {
        const { when, title, lead, tagline, figures } = pages.card({ kind: 'page', page }, language, { brandName, modes })
        judge(`the picture of ${page}`, language, [when, title, lead, tagline, ...figures.map(({ label }) => label)])
      }
    expectNothingFound()
  })

  async function visitAll(addresses: readonly string[], token?: string): Promise<void> {
    const { page } = visit
    for (const language of LANGUAGES) {
      await handOver(visit, roz.url, token, slotOf(addresses[0] ?? ''))
      await page.evaluate((spoken) => localStorage.setItem('language', spoken), language)
      for (const address of addresses) {
        await page.goto(roz.url + address)
        await page.getByRole('heading').first().waitFor()
        await settle(page)
        judge(address, language, await spokenOn(page))
      }
    }
  }

  test('every screen of a visitor and of a member', async () => {
    await visitAll(DOORS)
    await visitAll([...MEMBER_SCREENS, `${paths.myTicket}?day=${day}`], member.token)
    expectNothingFound()
    // A request to the gateway's host would be one.
    expect(visit.complaints().filter((complaint) => complaint.startsWith('a request to'))).toEqual([])
  })

  test('closing the account', async () => {
    const { page } = visit
    for (const [language, button] of [
      ['en', 'Delete account'],
      ['hi', 'खाता बंद करें'],
    ] as const) {
      await handOver(visit, roz.url, member.token)
      await page.evaluate((spoken) => localStorage.setItem('language', spoken), language)
      await page.goto(roz.url + paths.profile)
      await page.getByRole('button', { name: button }).last().click()
      await page.getByRole('dialog').waitFor()
      await expect(page.locator('[name=way-out]').count()).resolves.toBe(modes.withdrawalsOn ? 2 : 1)
      judge('closing the account', language, await spokenOn(page))
    }
    expectNothingFound()
  })

  test('every screen of the portal', async () => {
    const admin = await adminToken(roz.url)
    await visitAll(
      PORTAL_TABS.map((tab) => `${paths.adminDashboard}?tab=${tab}`),
      admin,
    )
    expectNothingFound()
  })

  test('every mail, notice and push message', () => {
    const data = new Proxy({}, { get: (_, name) => (name === 'day' ? '2026-11-21' : name === 'amount' ? '₹2.10' : ''), has: () => false })
    const frame = { brandName, topupMin: '₹10', topupMax: '₹30', supportEmail: 's@x.test', link: (at: string) => at, token: '', modes }
    for (const language of LANGUAGES) {
      for (const template of Object.keys(MAIL_TEXTS)) {
        // Sent only to somebody who won.
        if (template === 'draw_won' || isOfAWithdrawal(template) || isOfAGateway(template)) continue
        const { subject, paragraphs, action, after } = mailWords({ to: '', template, language, data } as unknown as MailPayload, frame)
        judge(`the mail ${template}`, language, [subject, ...paragraphs, action?.label ?? '', ...(after ?? [])])
      }
      for (const kind of Object.keys(NOTICES))
        if (isNoticeKind(kind) && kind !== 'won' && !isOfAWithdrawal(kind) && !isOfAGateway(kind)) {
          const { title, body } = noticeText(kind, { day: '2026-11-21' }, language)
          judge(`the notice ${kind}`, language, [title, body])
        }
      const { title, body } = resultNews({ day, won: undefined, hasWinners: hasDraws }, language)
      judge('the push message', language, [title, body])
    }
    expectNothingFound()
  })

  test('the description of the API', async () => {
    const { info } = (await (await fetch(`${roz.url}/api/openapi.json`)).json()) as { info: { description: string } }
    const docs = await (await fetch(`${roz.url}/api/docs`)).text()
    const words = info.description
    expect(words.includes('shared by 3 winners')).toBe(modes.split.winners === 3)
    expect(words.includes('Rounds have no winner')).toBe(!hasDraws)
    expect(words.includes('Adding money is paused.')).toBe(!modes.topupsOn)
    expect(words.includes('Withdrawals are paused.')).toBe(!modes.withdrawalsOn)
    expect(words.includes('withheld as tax')).toBe(modes.tax !== null)
    expect(docs).toContain(words.slice(words.indexOf(hasDraws ? 'Of each round' : 'Rounds have')))
  })

  test('what must be said is said, in both languages', () => {
    for (const language of LANGUAGES)
      for (const words of mode.said)
        expect(
          heard[language].some((text) => words[language].test(text)),
          `${language}: ${words[language].source}`,
        ).toBe(true)
  })
})
