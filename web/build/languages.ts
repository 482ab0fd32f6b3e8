/**
 * Puts what differs by language into pages and styles.
 * - The app's page has its few words in every language, because no script has chosen one yet.
 * - A language may have styles of its own, for its script: `locales/<language>/style.css`. They follow the shared styles.
 */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { APP_PAGE } from '@roz/core/app-page-words.ts'
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import type { Plugin } from 'vite'

const LOCALES = path.join(import.meta.dirname, '../../locales')

const inEveryLanguage = (write: (language: Language) => string): string =>
  LANGUAGES.map((language) => `<p lang="${language}">${write(language)}</p>`).join('\n      ')

/** Fills the places of web/app.html that have words. */
export const withWords = (html: string): string =>
  html
    .replace('%LOST%', () =>
      inEveryLanguage((language) => `${APP_PAGE.lost[language]} <a class="tap" href="">${APP_PAGE.again[language]}</a>`),
    )
    .replace('%NO_SCRIPT%', () => inEveryLanguage((language) => APP_PAGE.noScript[language].replace('{brand}', '%BRAND%')))

const stylesOf = (language: string): string => {
  const file = path.join(LOCALES, language, 'style.css')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

/** Every page has one of these two sheets. */
const SHARED = /\/web\/src\/(ui\/base|public\/page)\.css$/

export const languagesPlugin = (): Plugin => ({
  name: 'roz-languages',
  enforce: 'pre',
  transform: (code, id) => (SHARED.test(id.split('?')[0] ?? '') ? code + LANGUAGES.map(stylesOf).join('') : null),
  transformIndexHtml: { order: 'pre', handler: withWords },
})
