/** The ids of the portal's sections, from their own list: a test over them covers a new section without an edit. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from './program.ts'

const list = readFileSync(path.join(ROOT, 'web/src/features/admin/sections.ts'), 'utf8')

export const PORTAL_TABS: readonly string[] = [...list.matchAll(/\bid: '([a-z-]+)'/g)].map(([, id]) => id as string)
