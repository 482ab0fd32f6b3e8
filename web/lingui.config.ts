/**
 * Tells Lingui where the texts and their catalogues are.
 * - Each language has six catalogues: members never load the portal's words, AutoPay's only where it is offered, those of *My ticket* and of
 *   papers only there, and public pages none.
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
    { path: '<rootDir>/../locales/{locale}/autopay', include: ['<rootDir>/src/features/autopay'] },
    { path: '<rootDir>/../locales/{locale}/papers', include: ['<rootDir>/src/features/papers'] },
    { path: '<rootDir>/../locales/{locale}/ticket', include: ['<rootDir>/src/features/ticket'] },
    {
      path: '<rootDir>/../locales/{locale}/app',
      include: ['<rootDir>/src'],
      exclude: [
        '**/*.test.*',
        '**/src/public/**',
        '**/src/features/admin/**',
        '**/src/features/autopay/**',
        '**/src/features/papers/**',
        '**/src/features/ticket/**',
      ],
    },
  ],
})
