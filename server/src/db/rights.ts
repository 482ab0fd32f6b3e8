/** The statements of rights.sql, for a superuser's connection. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

export const RIGHTS = readFileSync(path.join(import.meta.dirname, 'rights.sql'), 'utf8')
