/** Shared test data: the vectors of the specification, including the whole example site. */
import { readFileSync } from 'node:fs'
import { fromHex } from '../src/bytes.ts'
import type { ReceiptFile } from '../src/receipt.ts'

export const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../spec/vectors/${name}.json`, import.meta.url), 'utf8')) as T

type Site = {
  keys: { first: string; inForce: string }
  text: Record<string, string>
  hex: Record<string, string>
  days: { day: string; exit: number; steps: Record<string, string> }[]
  receipts: { receipt: ReceiptFile; verdict: string }[]
}
export const site = vectors<Site>('site')
export const siteFiles = new Map([
  ...Object.entries(site.text).map(([path, text]) => [path, new TextEncoder().encode(text)] as const),
  ...Object.entries(site.hex).map(([path, hex]) => [path, fromHex(hex)] as const),
])
