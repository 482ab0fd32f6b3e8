/** The plugins and settings that the builds in build.ts share: the app, the public pages' scripts and styles, and the renderer. */
import babel from '@rolldown/plugin-babel'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { callsPlugin } from './build/calls.ts'
import { MACROS, SAYS_TEXTS } from './build/catalogues.ts'
import { wordsPlugin } from './build/inline-texts.ts'
import { languagesPlugin } from './build/languages.ts'

const root = import.meta.dirname

export const common: InlineConfig = {
  root,
  configFile: false,
  logLevel: 'warn',
  publicDir: false,
  plugins: [
    callsPlugin(),
    wordsPlugin(),
    languagesPlugin(),
    react(),
    babel({
      presets: [{ preset: { plugins: [['@lingui/babel-plugin-lingui-macro', MACROS]] }, rolldown: { filter: { code: SAYS_TEXTS } } }],
      sourceMap: false,
    }),
  ],
  build: {
    target: ['chrome114', 'safari17', 'firefox121'],
    assetsDir: 'assets',
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
  },
}
