/** The build of the web in small, for tests of what serves it. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'

export const SCRIPT = 'window.a = 1'
const PAGES = `
export const addresses = { home: '/', terms: '/terms-condition', verify: '/verify', askForHelp: '/ask-for-help' }
export const live = ['home']
export const withDays = []
export const daily = ['verify']
export const ofDay = ['verify']
export const ofStory = ['terms']
export const ofRequest = 'askForHelp'
export const card = (subject, language, brand) => ({ brand, tagline: language, when: '', title: JSON.stringify(subject), lead: '', figures: [], art: '<svg viewBox="0 0 1 1"/>' })
let drawn = 0
export const render = (r) => '<!doctype html><html lang="' + r.language + '"><p>' + r.page + ' about ' + (r.subject ? r.subject.kind : 'itself') + ' ' + r.picture + ' ' + r.site.brandName + ' ' + (r.data ? r.data.home.stats.today.pool : 'no figures') + ' drawn ' + (++drawn) + '</p>'
`

/** A folder as the web's build leaves it, with the least in it that the site serves. */
export function builtWeb(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'roz-site-'))
  mkdirSync(path.join(folder, 'assets'))
  writeFileSync(path.join(folder, 'assets/app-abc123.js'), SCRIPT)
  writeFileSync(path.join(folder, 'assets/app-abc123.js.br'), brotliCompressSync(SCRIPT))
  for (const name of ['verify', 'ticket']) writeFileSync(path.join(folder, `assets/${name}-worker-def456.js`), SCRIPT)
  mkdirSync(path.join(folder, 'verify'))
  writeFileSync(path.join(folder, 'verify/roz-verify.mjs'), SCRIPT)
  writeFileSync(path.join(folder, 'verify/roz-verify.mjs.sha256'), `${'0'.repeat(64)}  roz-verify.mjs\n`)
  writeFileSync(path.join(folder, 'pages.mjs'), PAGES)
  writeFileSync(path.join(folder, 'sw.js'), SCRIPT)
  mkdirSync(path.join(folder, 'icons'))
  for (const name of ['icon', 'maskable'].flatMap((kind) => [`${kind}-192.png`, `${kind}-512.png`]))
    writeFileSync(path.join(folder, 'icons', name), name)
  writeFileSync(path.join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(
    path.join(folder, 'app.html'),
    '<!doctype html><title>%BRAND%</title><meta name="app-settings" content="%SETTINGS%">%SCREEN%<noscript>%BRAND%</noscript>',
  )
  writeFileSync(path.join(folder, 'pdf-frame.html'), SCRIPT)
  writeFileSync(path.join(folder, 'pdf-frame.html.br'), brotliCompressSync(SCRIPT))
  writeFileSync(
    path.join(folder, 'manifest.json'),
    JSON.stringify({
      csp: { scripts: ['sha256-head'], styles: ['sha256-page', 'sha256-home'] },
      app: { '/login': '<link href="/assets/login.js">', '/dashboard': '', '/admin/login': '', '/kitchen-sink': '' },
      dev: ['/kitchen-sink'],
      pdfFrame: { address: '/admin/pdf-frame', script: 'sha256-frame' },
    }),
  )
  return folder
}
