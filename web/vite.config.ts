/** The plugins and settings that the builds in build.ts share: the app, the public pages' scripts and styles, and the renderer. */
import babel from '@rolldown/plugin-babel'
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin'
import { getConfig } from '@lingui/conf'
import react from '@vitejs/plugin-react'
import type { InlineConfig } from 'vite'
import { callsPlugin } from './build/calls.ts'
import { wordsPlugin } from './build/inline-texts.ts'
import { languagesPlugin } from './build/languages.ts'

const root = import.meta.dirname

const configPath = `${root}/lingui.config.ts`

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
