/**
 * Tells Lingui where the texts and their catalogues are.
 * - Each language has three catalogues, so members never load the portal's words, and public pages load no catalogue.
 */
import { LANGUAGES } from '@roz/core/language.ts'
import { defineConfig } from '@lingui/conf'
import { formatter } from '@lingui/format-po'

const rootDir = import.meta.dirname

export default defineConfig({
  rootDir,
  sourceLocale: 'en',
  locales: [...LANGUAGES],
  runtimeConfigModule: { Trans: ['@roz/web/ui/Trans.tsx', 'Trans'] },
  format: formatter({ lineNumbers: false }),
  catalogs: [
    { path: '<rootDir>/../locales/{locale}/public', include: ['<rootDir>/src/public'] },
    { path: '<rootDir>/../locales/{locale}/admin', include: ['<rootDir>/src/features/admin'] },
    { path: '<rootDir>/../locales/{locale}/app', include: ['<rootDir>/src'], exclude: ['**/src/public/**', '**/src/features/admin/**'] },
  ],
})
