/**
 * Makes the list of banks by IFSC from the npm package `ifsc` (docs/dependencies.md): `npm pack ifsc`, unpack it, then
 * `npm run banks -- <folder of the package> <day of its release>`.
 * - `banks`: the first four letters and the bank. `lent`: whole codes, or their beginnings, that a bank lends to another one.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseDay } from '@roz/core/ist-day.ts'

const LIST = 'web/src/features/wallet/ifsc-banks.json'
type Texts = Readonly<Record<string, string>>

function main([folder = '', day = '']: readonly string[]): void {
  const read = <Content>(file: string): Content => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Content
  if (parseDay(day) === undefined) throw new Error(`the day of the release as YYYY-MM-DD, not “${day}”`)
  const banks = read<Texts>('src/banknames.json')
  // Some of its entries name the bank instead of its letters.
  const lent = { ...read<Texts>('src/sublet.json'), ...read<Texts>('src/custom-sublets.json') }
  const { version } = read<{ readonly version: string }>('package.json')
  writeFileSync(LIST, `${JSON.stringify({ source: `ifsc ${version}`, day, banks, lent }, null, 2)}\n`)
}

if (import.meta.main) main(process.argv.slice(2))
