/**
 * The catalogues of the screens, `locales/<language>/*.po`: which texts each has, and the words that the build puts into the app.
 * - English has none: its words are the texts themselves, as in core and server.
 * - `npm run messages` writes them (ops/messages.ts).
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { SOURCE } from '@roz/core/catalogues.ts'
import { type Language, LANGUAGES } from '@roz/core/language.ts'
import { type CatalogType, makeConfig } from '@lingui/conf'
import extraction, { type ExtractedMessage } from '@lingui/babel-plugin-extract-messages'
import macro from '@lingui/babel-plugin-lingui-macro'
import { formatter } from '@lingui/format-po'
import { type CompiledMessage, compileMessageOrThrow } from '@lingui/message-utils/compileMessage'
import type { Plugin } from 'vite'

const ROOT = path.join(import.meta.dirname, '../..')
/** Members never load the portal's words, and load the words of AutoPay, *My ticket* and papers only where these are shown. */
const FOLDERS = {
  public: 'web/src/public/',
  admin: 'web/src/features/admin/',
  autopay: 'web/src/features/autopay/',
  papers: 'web/src/features/papers/',
  ticket: 'web/src/features/ticket/',
  // Everything else.
  app: 'web/src/',
} as const
type ScreenCatalogue = keyof typeof FOLDERS
export const SCREEN_CATALOGUES = Object.keys(FOLDERS) as readonly ScreenCatalogue[]

/** How Lingui's macros read a source. */
export const MACROS = {
  linguiConfig: makeConfig({ locales: [...LANGUAGES], runtimeConfigModule: { Trans: ['@roz/web/ui/Trans.tsx', 'Trans'] } }),
}
/** A source that uses them. */
export const SAYS_TEXTS = /from '@lingui\/(?:core|react)\/macro'/
const po = formatter({ lineNumbers: false })
export const TRANSLATED = LANGUAGES.filter((language) => language !== SOURCE)
export const screenCatalogueFile = (language: string, name: ScreenCatalogue): string => path.join(ROOT, `locales/${language}/${name}.po`)

/** `words` is '' for a text that is not yet translated. */
type Text = { readonly english: string; readonly words: string }
/** The texts of a catalogue by id; undefined if there is no such file. */
export async function readScreenCatalogue(language: string, name: ScreenCatalogue): Promise<ReadonlyMap<string, Text> | undefined> {
  const filename = screenCatalogueFile(language, name)
  if (!existsSync(filename)) return undefined
  const catalogue = await po.parse(readFileSync(filename, 'utf8'), { locale: language, sourceLocale: SOURCE, filename })
  return new Map(
    Object.entries(catalogue).map(([id, { message = id, translation = '' }]) => [id, { english: message, words: translation }]),
  )
}

type Said = CatalogType[string]
type Transform = (code: string, options: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The texts of the sources by catalogue and id, as they are written into a catalogue. */
export async function saidOnScreens(): Promise<Readonly<Record<ScreenCatalogue, ReadonlyMap<string, Said>>>> {
  // Babel 7 has no types of its own.
  const { transformAsync } = createRequire(import.meta.url)('@babel/core') as { readonly transformAsync: Transform }
  const said = Object.fromEntries(SCREEN_CATALOGUES.map((name) => [name, new Map()])) as Record<ScreenCatalogue, Map<string, Said>>
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.*', '**/*.d.ts'] })
  for (const file of files.toSorted((a, b) => a.localeCompare(b))) {
    const code = readFileSync(path.join(ROOT, file), 'utf8')
    if (!SAYS_TEXTS.test(code)) continue
    const name = SCREEN_CATALOGUES.find((one) => file.startsWith(FOLDERS[one])) ?? 'app'
    const onMessageExtracted = (found: ExtractedMessage) => addTo(said[name], found, file.replace(/^web\//, ''))
    await transformAsync(code, {
      code: false,
      babelrc: false,
      configFile: false,
      filename: path.join(ROOT, file),
      parserOpts: { plugins: ['typescript', ...(file.endsWith('x') ? ['jsx'] : [])] },
      plugins: [
        [macro, { ...MACROS, descriptorFields: 'all' }],
        [extraction, { ...MACROS, onMessageExtracted }],
      ],
    })
  }
  return said
}

function addTo(texts: Map<string, Said>, { id, message, context, comment, placeholders = {} }: ExtractedMessage, file: string): void {
  const known = texts.get(id) ?? { message, context, comments: [], origin: [], placeholders: {} }
  if (known.message !== message) throw new Error(`${file}: ${JSON.stringify(message)} has the id of ${JSON.stringify(known.message)}`)
  const values = Object.entries(placeholders).map(([key, value]) => [
    key,
    [...new Set([...(known.placeholders?.[key] ?? []), value])].toSorted(),
  ])
  texts.set(id, {
    ...known,
    comments: [...(known.comments ?? []), ...(comment === undefined ? [] : [comment])],
    origin: [...(known.origin ?? []), [file]],
    placeholders: { ...known.placeholders, ...Object.fromEntries(values) },
  })
}

const { compare } = new Intl.Collator('en-US')

/** A catalogue as it should be: these texts in their alphabetical order, with the words that it has. */
export async function writtenScreenCatalogue(language: string, name: ScreenCatalogue, said: ReadonlyMap<string, Said>): Promise<string> {
  const filename = screenCatalogueFile(language, name)
  const existing = existsSync(filename) ? readFileSync(filename, 'utf8') : undefined
  const about = { locale: language, sourceLocale: SOURCE, filename, existing }
  const known = existing === undefined ? {} : await po.parse(existing, about)
  const items = [...said].toSorted(([, a], [, b]) => compare(a.message ?? '', b.message ?? '') || compare(a.context ?? '', b.context ?? ''))
  return po.serialize(
    Object.fromEntries(
      items.map(([id, text]) => [id, { ...text, extra: known[id]?.extra ?? {}, translation: known[id]?.translation ?? '' }]),
    ),
    about,
  )
}

const WORDS = 'virtual:words/'
const OF_PAGES = 'virtual:words-of-pages'

/**
 * `virtual:words/<catalogue>` loads the words of a language, which `virtual:words/<language>/<catalogue>` has. `virtual:words-of-pages` has
 * those of the public pages in every language.
 * - `drafts`: the sources are asked for texts that no catalogue has, and English stands where words are missing. It takes seconds.
 */
export function screenWordsPlugin({ drafts }: { readonly drafts: boolean }): Plugin {
  let said: ReturnType<typeof saidOnScreens> | undefined
  async function textsOf(language: Language, name: ScreenCatalogue): Promise<ReadonlyMap<string, Text>> {
    const texts = new Map<string, Text>()
    if (drafts)
      for (const [id, { message = id }] of (await (said ??= saidOnScreens()))[name]) texts.set(id, { english: message, words: '' })
    // Any translation lists all English texts: the build fails if one is missing.
    const [listed = language] = language === SOURCE ? TRANSLATED : []
    for (const [id, text] of (await readScreenCatalogue(listed, name)) ?? []) texts.set(id, text)
    return texts
  }
  async function words(language: Language, name: ScreenCatalogue): Promise<string> {
    const texts = [...(await textsOf(language, name))].toSorted(([a], [b]) => (a < b ? -1 : 1))
    const compiled = texts.map(([id, text]) => [id, compiledText(language === SOURCE || text.words === '' ? text.english : text.words)])
    return `export const messages = JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(compiled)))})`
  }
  const loads = (name: string): string =>
    `export const words = { ${LANGUAGES.map((language) => `${language}: () => import('${WORDS}${language}/${name}')`).join(', ')} }`
  const ofPages = (): string => {
    const parts = (['app', 'public'] as const).map((name) => [name, `${name}Words`] as const)
    const imported = LANGUAGES.flatMap((one) =>
      parts.map(([name, as]) => `import { messages as ${one}_${as} } from '${WORDS}${one}/${name}'`),
    )
    const joined = LANGUAGES.map((one) => `${one}: { ${parts.map(([, as]) => `...${one}_${as}`).join(', ')} }`)
    return [...imported, `export const words = { ${joined.join(', ')} }`].join('\n')
  }
  return {
    name: 'roz-screen-words',
    resolveId: (id) => (id.startsWith(WORDS) || id === OF_PAGES ? `\0${id}` : undefined),
    async load(id) {
      if (id === `\0${OF_PAGES}`) return ofPages()
      if (!id.startsWith(`\0${WORDS}`)) return undefined
      const [one = '', name] = id.slice(WORDS.length + 1).split('/')
      if (name === undefined) return loads(one)
      const file = screenCatalogueFile(one, name as ScreenCatalogue)
      if (existsSync(file)) this.addWatchFile(file)
      return words(one as Language, name as ScreenCatalogue)
    },
  }
}

/** A message in the form that the browser reads, which has no parser of plurals. */
function compiledText(text: string): CompiledMessage {
  try {
    return compileMessageOrThrow(text)
  } catch (error) {
    throw new Error(`${JSON.stringify(text)} is no message: ${(error as Error).message}`)
  }
}
