/** Section 9 of the privacy policy names everything the browser stores, in both languages. Code that stores more must extend the policy. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = path.resolve(import.meta.dirname, '..')

/** By file that stores something: the words of the policy that say so. */
const KEPT: Readonly<Record<string, { readonly [L in 'en' | 'hi']: string | readonly string[] }>> = {
  'app/token.ts': { en: 'the login token', hi: 'लॉग इन टोकन' },
  'app/language.ts': { en: 'your choice of language', hi: 'भाषा की आपकी पसंद' },
  'public/site.ts': { en: 'your choice of language', hi: 'भाषा की आपकी पसंद' },
  'app/own-memory.ts': {
    en: ['your ticket key, and the day it came into use', 'the receipts of your last fourteen entries'],
    hi: ['आपकी टिकट कुंजी, और यह कि वह किस दिन से चलती है', 'पिछली चौदह एंट्रियों की रसीदें'],
  },
  'shell/AnnouncementStrip.tsx': { en: 'which announcements were put away', hi: 'कौन-सी घोषणाएँ इस डिवाइस पर हटा दी गईं' },
  'verify/log-memory.ts': { en: 'the newest state of the log of days', hi: 'दिनों के लॉग की कुंजी और उसकी सबसे नई स्थिति' },
  'pwa/device-owner.ts': { en: 'which member asked to be told of results', hi: 'किस सदस्य ने इस डिवाइस पर नतीजे बताने को कहा' },
  'pwa/registration.ts': { en: 'which offers (install, results) were already shown', hi: 'क्या-क्या पूछा जा चुका है (इंस्टॉल, नतीजे)' },
  'pwa/worker.ts': { en: 'pages and parts of the app itself', hi: 'ऐप के अपने पेज और हिस्से' },
}
/** `store` (app/stored.ts) is the only other way. */
const KEEPS = /localStorage\.setItem|\bstore\(|sessionStorage|indexedDB|caches\.open|document\.cookie/

test('the privacy policy names every place where the browser stores something, in both languages', () => {
  const files = globSync('**/*.{ts,tsx,js}', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts') && file !== 'app/stored.ts')
  const keeping = files.filter((file) => KEEPS.test(readFileSync(path.join(SOURCES, file), 'utf8')))
  expect(keeping.toSorted()).toEqual(Object.keys(KEPT).toSorted())
  for (const language of ['en', 'hi'] as const) {
    const policy = readFileSync(path.join(SOURCES, '../../locales', language, 'pages/privacy-policy.md'), 'utf8')
    expect(policy.match(/^## \d+\./gm)).toHaveLength(12)
    const section = /^## 9\.[^]*?(?=^## 10\.)/m.exec(policy)?.[0] ?? ''
    for (const [file, { [language]: named }] of Object.entries(KEPT))
      for (const words of [named].flat()) expect(section, file).toContain(words)
  }
})
