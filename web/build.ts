/**
 * Builds the web: `node web/build.ts [--out <dir>] [--draft]`.
 * - app.html, assets/: the client app, split by route, with hashed names and a Brotli file beside each file
 * - pages.mjs: the render functions of the public pages, plain JavaScript for the server
 * - manifest.json: the content security hashes of the code that the pages inline
 * - verify/: the verifier as one file, and its hash
 * - pdf-frame.html: the page of the frame that draws PDFs, with everything that it needs
 * - sw.js, icons/: the service worker, and the coin as home-screen icons
 * A text without words in some language fails the build. With --draft, for work in progress, the English ones are used instead.
 */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { addressIn, inEach } from '@roz/core/language.ts'
import { type InlineConfig, type Plugin, build } from 'vite'
import { writeProgram } from '../verifier/build.ts'
import { saidOnScreens, screenWordsPlugin, TRANSLATED } from './build/catalogues.ts'
import { contentPlugin } from './build/content.ts'
import { favicon, versionOf, writeIcons } from './build/install.ts'
import { expectTexts, messageCollector, missingMessages } from './build/messages.ts'
import { writePdfFrame } from './build/pdf-frame.ts'
import { CHUNKS, chunkOf, type Manifest, screenLinks, shellLinks } from './build/screens.ts'
import { paths } from './src/paths.ts'
import { PDF_FRAME_PATH } from './src/pdf-frame/messages.ts'
import { sprite } from './src/ui/art.ts'
import { common } from './vite.config.ts'

const root = import.meta.dirname
const compress = promisify(brotliCompress)
const collector = messageCollector()

const { values } = parseArgs({ options: { out: { type: 'string' }, draft: { type: 'boolean', default: false } } })
const words = screenWordsPlugin({ drafts: values.draft })
const out = path.resolve(values.out ?? path.join(root, '../.build/web/dev'))

/** Each page contains the drawing once; `<use>` refers to it. */
const spritePlugin: Plugin = {
  name: 'roz-sprite',
  transformIndexHtml: { order: 'pre', handler: (html) => html.replace('%SPRITE%', sprite()) },
}

function variant(extra: InlineConfig, plugins: Plugin[]): InlineConfig {
  return {
    ...common,
    ...extra,
    plugins: [...(common.plugins ?? []), words, collector.plugin, ...plugins],
    build: { ...common.build, ...extra.build, outDir: out, emptyOutDir: false },
  }
}

type PublicAssets = {
  /** The styles of most pages, of the home page and of the verifier's. The policy allows exactly these. */
  readonly css: Readonly<Record<'plain' | 'home' | 'verify', string>>
  readonly script: string
  readonly verifyScript: string
  readonly font: string
}

/** Builds files of the public pages. Returns the file of a source. */
async function buildPublicFiles(input: Readonly<Record<string, string>>): Promise<(source: string) => string> {
  await build(variant({ build: { manifest: 'site-manifest.json', rolldownOptions: { input } } }, []))
  const manifestFile = path.join(out, 'site-manifest.json')
  const manifest = JSON.parse(await readFile(manifestFile, 'utf8')) as Manifest
  await rm(manifestFile)
  return (source) => chunkOf(source, manifest).file
}

/** Builds the public pages' scripts and styles. The style files are removed again, because the pages inline them. */
async function buildPublicAssets(): Promise<PublicAssets> {
  // Each script by itself: what both import would be a third file, which a page finds only when its script has come.
  const verifyScript = (await buildPublicFiles({ verify: 'src/public/verify.ts' }))('src/public/verify.ts')
  const fileOf = await buildPublicFiles({
    site: 'src/public/site.ts',
    page: 'src/public/page.css',
    live: 'src/public/live.css',
    home: 'src/public/home.css',
    check: 'src/public/verify.css',
  })
  const take = async (source: string): Promise<string> => {
    const file = path.join(out, fileOf(source))
    const css = (await readFile(file, 'utf8')).trim()
    await rm(file)
    return css
  }
  const page = await take('src/public/page.css')
  const plain = page + (await take('src/public/live.css'))
  const css = { plain, home: plain + (await take('src/public/home.css')), verify: page + (await take('src/public/verify.css')) }
  const font = /\/assets\/roz-display-[\w-]+\.woff2/.exec(page)?.[0]
  if (font === undefined) throw new Error('the public styles name no display font')
  return { css, script: `/${fileOf('src/public/site.ts')}`, verifyScript: `/${verifyScript}`, font }
}

/**
 * The script in the head of every public page, which runs before the page is drawn. It applies the reader's language and redirects
 * signed-in members to their dashboard.
 */
async function headScript(): Promise<string> {
  const bases = inEach((language) => addressIn(language, '/').replace(/\/$/, ''))
  return (await readFile(path.join(root, 'src/public/head.js'), 'utf8'))
    .replace('__BASES__', JSON.stringify(bases))
    .replace(/^\s*\/[/*].*$/gm, '')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
}

const hashOf = (text: string): string => `sha256-${createHash('sha256').update(text).digest('base64')}`

async function compressAssets(): Promise<void> {
  const folder = path.join(out, 'assets')
  const files = (await readdir(folder)).filter((name) => /\.(js|css|svg)$/.test(name))
  await Promise.all(
    files.map(async (name) => {
      const bytes = await readFile(path.join(folder, name))
      const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length }
      await writeFile(path.join(folder, `${name}.br`), await compress(bytes, { params }))
    }),
  )
}

/** The service worker: one file at the root whose bytes change with every file that it may cache. */
async function buildWorker({ font, script }: PublicAssets): Promise<void> {
  await build(
    variant(
      {
        define: {
          __VERSION__: JSON.stringify(await versionOf(out)),
          __OFFLINE__: JSON.stringify(inEach((language) => addressIn(language, '/offline'))),
          __SHELL__: JSON.stringify([font, script]),
        },
        build: { rolldownOptions: { input: { sw: 'src/pwa/worker.ts' }, output: { entryFileNames: '[name].js' } } },
      },
      [],
    ),
  )
}

/** Builds the client app. Returns the link tags of each address. */
async function buildApp(): Promise<Readonly<Record<string, string>>> {
  const rolldownOptions = {
    input: { app: 'app.html', shell: 'src/main.tsx' },
    preserveEntrySignatures: false as const,
    output: { codeSplitting: CHUNKS },
  }
  await build(variant({ build: { manifest: 'app-manifest.json', rolldownOptions } }, [spritePlugin, shellLinks]))
  const manifestFile = path.join(out, 'app-manifest.json')
  const links = screenLinks(await readFile(path.join(root, 'src/routes.tsx'), 'utf8'), JSON.parse(await readFile(manifestFile, 'utf8')))
  await rm(manifestFile)
  return links
}

async function main(): Promise<void> {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  const app = await buildApp()
  const assets = await buildPublicAssets()
  const script = await headScript()
  const program = await writeProgram(path.join(out, 'verify'))
  const pdfFrame = { address: PDF_FRAME_PATH, script: await writePdfFrame('src/pdf-frame/frame.ts', out, common) }
  await build(
    variant(
      {
        ssr: { noExternal: true, target: 'node' },
        define: {
          __HEAD_SCRIPT__: JSON.stringify(script),
          __PUBLIC_ASSETS__: JSON.stringify(assets),
          __VERIFIER_SHA256__: JSON.stringify(program.sha256),
        },
        build: {
          ssr: true,
          target: 'node22',
          rolldownOptions: { input: { pages: 'src/public/render.tsx' }, output: { entryFileNames: '[name].mjs', codeSplitting: false } },
        },
      },
      [contentPlugin()],
    ),
  )
  expectTexts(collector.used)
  const drafts = values.draft ? Object.values(await saidOnScreens()).flatMap((texts) => [...texts]) : []
  const english = new Map(drafts.map(([id, { message = id }]) => [id, message]))
  const missing = await missingMessages(root, collector.used, TRANSLATED, english)
  if (missing.length > 0) {
    const report = `${missing.length} texts have no words yet (npm run messages, then fill locales/):\n  ${missing.join('\n  ')}`
    if (!values.draft) throw new Error(report)
    process.stderr.write(`${report}\n`)
  }
  const styles = Object.values(assets.css)
  await writeFile(
    path.join(out, 'manifest.json'),
    JSON.stringify({ csp: { scripts: [hashOf(script)], styles: styles.map(hashOf) }, app, pdfFrame, dev: [paths.kitchenSink] }),
  )
  await writeFile(path.join(out, 'favicon.svg'), favicon())
  await writeIcons(out)
  await buildWorker(assets)
  await compressAssets()
  const { checkPages } = await import('./build/check-pages.ts')
  process.stdout.write(await checkPages(pathToFileURL(path.join(out, 'pages.mjs')).href))
}

await main()
