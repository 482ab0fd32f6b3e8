/**
 * Divides the app into files, and lists in each page's head the files that its address needs.
 * - The head names the shell's files and those of the screen at the address, so no file waits for another to request it.
 * - A screen's style sheet follows the sheets of everything it imports, so its rules win.
 */
import type { Plugin } from 'vite'
import { paths } from '../src/paths.ts'

/**
 * `start` runs while the rest is still loading, so it must stay small. The other code that every screen needs is one file: a fourteenth
 * less to load than the same code in pieces. Code that several screens share forms few files, because each file costs a phone one more
 * request.
 */
export const CHUNKS = {
  groups: [
    {
      name: 'start',
      test: /web\/src\/app\/(start|load-failure|first-language|stored|first-answer|token)\.ts|core\/src\/language\.ts|virtual:calls|virtual:words\/app$|preload-helper|rolldown\/runtime/,
      priority: 3,
    },
    { name: 'shell', tags: ['$initial' as const], priority: 2 },
    { name: 'forms', test: /web\/src\/features\/forms\.ts|core\/src\/written\.ts/, priority: 2 },
    { name: 'bank', test: /web\/src\/features\/(wallet\/BankFields|InDoubt|money-key)\.tsx?/ },
    { name: 'money', test: /web\/src\/features\/wallet\/(rules|amounts|money-form-errors|money-inputs)\.ts/, priority: 1 },
    { name: 'door', test: /web\/src\/features\/auth\/(AuthSheet|fields|rules|GoogleButton)/ },
    { name: 'kit', test: /web\/src\/(ui\/(Countdown|Split|Video|Share)|features\/(WinnerLabel|CharityName|ticket\/use-ticket))/ },
  ],
}

/** Low priority: the styles and the first paint do not need the scripts. */
const preload = (file: string): string => `<link rel="modulepreload" fetchpriority="low" crossorigin href="/${file}">`

/** Vite would give each file of the shell its own script tag. Only `start` is executed by a tag; the other files are preloaded with it. */
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
          // After the shell's style sheet: the same order as when the screen is opened from another screen.
          .replace(
            / *<\/head>/,
            `${[...begins.map(({ fileName }) => preload(fileName)), '%SCREEN%'].map((tag) => `    ${tag}\n`).join('')}  </head>`,
          )
      )
    },
  },
}

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }
export type Manifest = Readonly<Record<string, Chunk>>
const ROUTE = /(?:path: |Page\()paths\.(\w+),[^]*?import\('\.\/([^']+)'\)/g

/** By address: the link tags of the files that its screen needs beyond the shell. */
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

/** Adds each module after its imports, in the order of execution, so that its style sheet can override theirs. */
function closureOf(keys: readonly string[], manifest: Manifest, known = new Set<string>()): Set<string> {
  for (const key of keys.filter((one) => !known.has(one))) {
    known.add(key)
    closureOf(chunkOf(key, manifest).imports ?? [], manifest, known)
    known.delete(key)
    known.add(key)
  }
  return known
}

export function chunkOf(key: string, manifest: Manifest): Chunk {
  const chunk = manifest[key]
  if (chunk === undefined) throw new Error(`the build emitted no file for ${key}`)
  return chunk
}
