/**
 * The screens from their sources, in front of a running Roz (`npm run dev`).
 * - An edit in web/src shows in the open page at once. Calls, public pages and uploads come from Roz.
 * - A text without Hindi is shown in English, and listed when its module is loaded.
 */
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import path from 'node:path'
import { createServer, type Plugin } from 'vite'
import { screenWordsPlugin, TRANSLATED } from './build/catalogues.ts'
import { withWords } from './build/languages.ts'
import { englishIn, missingMessages } from './build/messages.ts'
import { sprite } from './src/ui/art.ts'
import { common } from './vite.config.ts'

const roz = new URL(process.env.ROZ_URL ?? 'http://127.0.0.1:8082')
const port = Number(process.env.PORT ?? 8080)
const root = import.meta.dirname
/** Everything else is Roz's. */
const SOURCES = /^\/(@|src\/|build\/|node_modules\/)/
const NOT_READY = '<!doctype html><meta http-equiv="refresh" content="1"><p>Roz is starting, or the terminal says why not.'

/** Vite's modules bring the styles, after the first paint. */
const STYLES = ['tokens', 'base', 'app'].map((name) => `<link rel="stylesheet" href="/src/ui/${name}.css">`).join('')

type Render = (url: string, brandName: string, settings: string) => Promise<string>

/** Passes a request on. The app's page is replaced by the sources' page, with the settings that Roz wrote into its own. */
function pass(req: IncomingMessage, res: ServerResponse, render: Render): void {
  const headers = { ...req.headers, 'accept-encoding': 'identity' }
  const up = request({ host: roz.hostname, port: roz.port, path: req.url, method: req.method, headers }, (answer) => {
    const isPage = String(answer.headers['content-type']).startsWith('text/html')
    if (!isPage) return void answer.pipe(res.writeHead(answer.statusCode ?? 502, answer.headers))
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => void parts.push(part))
    answer.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const [, title = ''] = /<title>([^<]*)</.exec(text) ?? []
      const [, settings] = /name="app-settings" content="([^"]*)"/.exec(text) ?? []
      if (settings === undefined) return void res.writeHead(answer.statusCode ?? 502, answer.headers).end(text)
      // Roz's policy does not allow Vite's scripts and its socket.
      const { 'content-security-policy': _policy, 'content-length': _length, etag: _etag, ...kept } = answer.headers
      const send = (html: string): void => void res.writeHead(answer.statusCode ?? 502, kept).end(html)
      render(req.url ?? '/', title, settings).then(send, (error: Error) => res.writeHead(500).end(error.stack))
    })
  })
  up.on('error', () => {
    if (!res.headersSent) res.writeHead(502, { 'content-type': 'text/html; charset=utf-8' })
    res.end(NOT_READY)
  })
  res.on('close', () => up.destroy())
  req.pipe(up)
}

const throughRoz: Plugin = {
  name: 'roz-through',
  configureServer: (server) => {
    const render: Render = (url, brandName, settings) => {
      const html = withWords(readFileSync(path.join(root, 'app.html'), 'utf8'))
        .replace('%SPRITE%', () => sprite())
        .replace('%SETTINGS%', () => settings)
        .replace('%SCREEN%', STYLES)
        .replaceAll('%BRAND%', () => brandName)
      return server.transformIndexHtml(url, html)
    }
    server.middlewares.use((req, res, next) => {
      if (SOURCES.test(req.url ?? '')) next()
      else pass(req, res, render)
    })
  },
}

/** Lists the texts without words, once each, soon after their module was loaded. */
function missingLister(): Plugin {
  const loaded = new Map<string, string>()
  const said = new Map<string, string>()
  const told = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  const list = async (): Promise<void> => {
    const used = new Map(loaded)
    loaded.clear()
    for (const line of await missingMessages(root, used, TRANSLATED, said)) {
      if (!told.has(line)) process.stderr.write(`No words yet: ${line}\n`)
      told.add(line)
    }
  }
  return {
    name: 'roz-missing',
    enforce: 'post',
    transform: (code, id) => {
      if (!/\/web\/src\/.*\.tsx?$/.test(id.split('?')[0] ?? '')) return null
      for (const [text, english] of englishIn(code)) {
        loaded.set(text, id)
        said.set(text, english)
      }
      clearTimeout(timer)
      timer = setTimeout(() => void list(), 500)
      return null
    },
  }
}

const server = await createServer({
  ...common,
  appType: 'custom',
  cacheDir: path.join(root, '../.build/vite'),
  clearScreen: false,
  logLevel: 'info',
  plugins: [...(common.plugins ?? []), screenWordsPlugin({ drafts: false }), missingLister(), throughRoz],
  server: {
    port,
    strictPort: true,
    host: '127.0.0.1',
    fs: { allow: [path.resolve(root, '..')] },
    warmup: { clientFiles: ['src/main.tsx', 'src/features/**/*Page.tsx'] },
  },
})
await server.listen()
// As the server: nothing else would stop this process after the death of its launcher.
const launcher = Number(process.env.ROZ_LAUNCHER ?? 0)
if (launcher > 0) setInterval(() => process.ppid === launcher || process.exit(0), 500).unref()
process.stdout.write(`The screens are at http://localhost:${port} as soon as Roz is ready; an edit in web/src shows at once.\n`)
