import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { paths } from '../src/paths.ts'
import { screenLinks, shellLinks } from './screens.ts'

test("a screen's style sheet follows the sheets of the modules that it imports", () => {
  const names = Object.keys(paths)
  const routes = names.map((name) => `path: paths.${name}, component: lazy(() => import('./Screen.tsx'))`).join('\n')
  const links = screenLinks(routes, {
    'src/main.tsx': { file: 'shell.js', css: ['shell.css'] },
    'src/Screen.tsx': { file: 'screen.js', css: ['screen.css'], imports: ['_kit.js', 'src/main.tsx'] },
    '_kit.js': { file: 'kit.js', css: ['kit.css'], imports: ['_base.js'] },
    '_base.js': { file: 'base.js', css: ['base.css'], imports: ['_kit.js'] },
  })
  expect([...(links[paths.wallet] ?? '').matchAll(/href="\/(\w+\.css)"/g)].map(([, sheet]) => sheet)).toEqual([
    'base.css',
    'kit.css',
    'screen.css',
  ])
})

test("a screen's style sheets follow the sheet of the shell", () => {
  const SHELL = '<link rel="stylesheet" crossorigin href="/assets/shell.css">'
  // Vite inserts this tag before it calls our plugin.
  const html = readFileSync(new URL('../app.html', import.meta.url), 'utf8').replace('  </head>', `    ${SHELL}\n  </head>`)
  const { handler } = shellLinks.transformIndexHtml as { handler: (html: string, context: object) => string }
  const [head = ''] = handler(html, { bundle: {} }).split('</head>')
  expect(head).toMatch(/shell\.css[^]*%SCREEN%/)
  expect(head.split('%SCREEN%')).toHaveLength(2)
})
