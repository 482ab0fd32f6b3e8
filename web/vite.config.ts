/** The plugins and settings that the builds in build.ts share: the app, the public pages' scripts and styles, and the renderer. */
import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import { getConfig } from '@lingui/conf'
import react from '@vitejs/plugin-react'
import type { InlineConfig, Plugin } from 'vite'
import { callsPlugin } from './build/calls.ts'
import { wordsPlugin } from './build/inline-texts.ts'

const root = import.meta.dirname

/** Messages of libraries to developers, replaced to save bytes. The types and the build's checks find such mistakes earlier. */
const DEVELOPERS_WORDS = [
  /Uncompiled message detected![^`]*/g,
  /Lingui: Attempted to call[^;]*initialization logic\./g,
  /You can't use both [^"]*/g,
  /(?<=`)Invalid value supplied to prop [^$]*/g,
  /No QueryClient set, use [\w ]+/g,
  /Expected enabled to be a boolean or a [\w ]+/g,
  /Route cannot have both an 'id' and a 'path' option\./g,
  /takes an object of state variables to update or a [\w ]+\./g,
  /React\.Children\.only expected to receive [\w ]+\./g,
  /The argument must be a React element, but you passed /g,
  /forceFrameRate takes a positive int between 0 and 125, [\w ]+/g,
  /(?<=" for )the full message or use the non-minified dev environment [\w ]+\./g,
  /A React form was unexpectedly submitted\.[^"]*?event\.preventDefault\(\)\./g,
  /React has blocked a javascript: URL as a security precaution\./g,
  /Objects are not valid as a React child \(found: /g,
  /(?<="\))\. If you meant to render a collection of children, use an array instead\./g,
  / is a void element tag therefore it must have no children/g,
  /Can't use element at index '|' as it is not declared in the original translation/g,
  /Cannot specify both `message` and `error` params/g,
  /Encountered Promise during synchronous parse\. Use \.parseAsync\(\) instead\./g,
  /Uninitialized schema in ZodMiniType\./g,
  /Async validation not supported/g,
  /expected a Zod schema/g,
  /Redirect blocked: unsafe protocol/g,
  /(?<=this\.queryHash\}) data is undefined/g,
  /No mutationFn found/g,
  /Too many redirects/g,
  /Invariant failed/g,
  /A Promise was thrown/g,
  /Missing queryFn: /g,
  /(?<=["'`])object with keys \{/g,
]
const leanPlugin: Plugin = {
  name: 'roz-lean',
  transform: (code, id) =>
    /node_modules\/(@lingui|@tanstack|react|react-dom|scheduler|zod)\//.test(id)
      ? DEVELOPERS_WORDS.reduce((kept, words) => kept.replace(words, 'bug'), code)
      : null,
}

const configPath = `${root}/lingui.config.ts`

export const common: InlineConfig = {
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    leanPlugin,
    callsPlugin(),
    wordsPlugin(),
    react(),
    lingui({ configPath, failOnCompileError: true }),
    babel({ presets: [linguiTransformerBabelPreset({ linguiConfig: getConfig({ configPath }) }, { configPath })], sourceMap: false }),
  ],
  build: {
    target: ['chrome114', 'safari17', 'firefox121'],
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
}
