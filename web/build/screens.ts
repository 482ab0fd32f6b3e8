/**
 * How the app is cut into files, and which of them a page names in its head, so that none waits for
 * another to ask for it: the shell that all screens stand in, and what the address itself needs.
 */
import type { Plugin } from 'vite'
import { paths } from '../src/paths.ts'

/**
 * `start` runs while the rest is on its way and must weigh little. All else that every screen needs is
 * one file: a fourteenth less to load than the same in pieces. What several screens share is few more,
 * as each file of its own costs a phone another question to the server.
 */
export const CHUNKS = {
  groups: [
    {
      name: 'start',
      test: /web\/src\/app\/(start|load-failure|catalogues|first-answer|token)\.ts|core\/src\/language\.ts|virtual:calls|preload-helper|rolldown\/runtime/,
      priority: 3,
    },
    { name: 'shell', tags: ['$initial' as const], priority: 2 },
    { name: 'forms', test: /web\/src\/features\/forms\.ts/, priority: 2 },
    { name: 'money', test: /web\/src\/features\/(money-key|wallet\/(rules|BankFields|amounts|words))\.ts/ },
    { name: 'door', test: /web\/src\/features\/auth\/(AuthSheet|fields|rules|GoogleButton)/ },
    { name: 'kit', test: /web\/src\/(ui\/(Countdown|Split|Video|Share)|features\/(WinnerLabel|CharityName|ticket\/use-ticket))/ },
  ],
}

/** Scripts wait behind what is painted without them. */
const preload = (file: string): string => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`

/** Vite would run each file of the shell by a tag of its own: one starts, the others are only fetched with it. */
export const shellLinks: Plugin = {
  name: 'roz-shell-links',
  transformIndexHtml: {
    order: 'post',
    handler: (html, { bundle = {} }) => {
      const begins = Object.values(bundle).filter((file) => file.type === 'chunk' && file.facadeModuleId?.endsWith('/src/main.tsx'))
      return (
        html
          .replace(/<script type="module" crossorigin src="\/(assets\/(\w+)-[^"]+)"><\/script>/g, (tag, file: string, name: string) =>
            name === 'start' ? tag.replace('crossorigin', 'fetchpriority="low" crossorigin') : preload(file),
          )
          .replace(/ *%SCREEN%\n/, '')
          // Behind the sheet of the shell, as it would come if the screen were opened from another.
          .replace(
            / *<\/head>/,
            `${[...begins.map(({ fileName }) => preload(fileName)), '%SCREEN%'].map((tag) => `    ${tag}\n`).join('')}  </head>`,
          )
      )
    },
  },
}

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }
type Manifest = Readonly<Record<string, Chunk>>
const ROUTE = /path: paths\.(\w+),[^]*?import\('\.\/([^']+)'\)/g

/** Links by address, of the files that its screen adds to the shell. */
export function screenLinks(routes: string, manifest: Manifest): Readonly<Record<string, string>> {
  const there = closureOf(['src/main.tsx'], manifest)
  const links = Object.fromEntries(
    [...routes.matchAll(ROUTE)].map(([, name, file]) => {
      const added = [...closureOf([`src/${file}`], manifest).difference(there)].map((key) => chunkOf(key, manifest))
      const styles = added.flatMap(({ css = [] }) => css.map((sheet) => `<link rel="stylesheet" crossorigin href="/${sheet}">`))
      return [paths[name as keyof typeof paths], [...styles, ...added.map(({ file: script }) => preload(script))].join('')]
    }),
  )
  const lost = Object.values(paths).filter((address) => address !== paths.home && links[address] === undefined)
  if (lost.length > 0) throw new Error(`routes.tsx loads no screen for ${lost.join(', ')}`)
  return links
}

/** Each stands behind what it imports, as it runs: so its sheet has the last word about what theirs say. */
function closureOf(keys: readonly string[], manifest: Manifest, known = new Set<string>()): Set<string> {
  for (const key of keys.filter((one) => !known.has(one))) {
    known.add(key)
    closureOf(chunkOf(key, manifest).imports ?? [], manifest, known)
    known.delete(key)
    known.add(key)
  }
  return known
}

function chunkOf(key: string, manifest: Manifest): Chunk {
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`the build made nothing of ${key}`)
  return chunk
}
