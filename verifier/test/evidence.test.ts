/** A receipt may prove only one disbursement. A monitor sees all days, so it finds a repeat on any two of them. */
import { expect, test } from 'vitest'
import { toHex } from '../src/bytes.ts'
import { canonicalBytes } from '../src/canonical.ts'
import { shiftDay } from '../src/day.ts'
import { evidenceOfAllDays } from '../src/evidence.ts'
import { sha256 } from '../src/sha256.ts'
import { memorySource, urlSource } from '../src/sources.ts'
import { createWatch } from '../src/watch.ts'
import { verifierKeyOf } from '../src/note.ts'
import { makeBooks } from './books-maker.ts'
import { LiveSite } from './live-site.ts'
import { DAY, LOG, openRecord, utf } from './site-maker.ts'

test('a receipt repeated on a later day is found, however many days lie between', async () => {
  const [first, second, third] = [DAY, shiftDay(DAY, 1), shiftDay(DAY, 2)] as [string, string, string]
  const evidence = toHex(sha256(utf('one receipt')))
  const files = new Map<string, Uint8Array>()
  const entries = [first, second, third].map((day, index) => {
    const made = makeBooks({ day, entries: 0, members: 1, before: undefined, settled: undefined })
    const shown = day === second ? [] : [{ days: [{ day: first, paise: 5 }], evidence: [evidence], paise: 5 }]
    const root = '00'.repeat(32)
    const bytes = canonicalBytes({ ...made, help: { ...made.help, disbursements: shown }, liabilities: { ...made.liabilities, root } })
    files.set(`books/${day}`, bytes)
    const record = { v: 1, kind: 'books', day, books: toHex(sha256(bytes)) } as const
    return { index, leaf: new Uint8Array(), json: record, record, problem: undefined }
  })
  const watched = evidenceOfAllDays(memorySource(files))
  const hidden = files.get(`books/${first}`) as Uint8Array
  files.delete(`books/${first}`)
  expect([await watched(entries, first), await watched(entries, second)]).toEqual([[], []])
  files.set(`books/${first}`, hidden)
  expect(await watched(entries, third)).toEqual([`the receipt ${evidence} is the evidence of entries of ${first} and of ${third}`])
  expect(await watched(entries, third)).toEqual([])
})

test('a monitor raises an alarm for a repeated receipt', async () => {
  const site = new LiveSite()
  const source = urlSource(await site.listen())
  const evidence = toHex(sha256(utf('one receipt')))
  const days = [DAY, shiftDay(DAY, 1), shiftDay(DAY, 2)] as const
  for (const day of days) {
    site.append(openRecord({ day }), { v: 1, kind: 'void', day, reason: 'empty', returned: 0 })
    const made = makeBooks({ day, entries: 0, members: 1, before: undefined, settled: undefined })
    const disbursements = day === days[1] ? [] : [{ days: [{ day: days[0], paise: 5 }], evidence: [evidence], paise: 5 }]
    site.publishBooks({ ...made, help: { ...made.help, disbursements } }, 1)
  }
  const alarms: string[] = []
  const ports = {
    source,
    post: async () => 204,
    nowMs: () => 0,
    save: async () => undefined,
    say: () => undefined,
    alarm: async ({ words }: { readonly words: string }) => void alarms.push(words),
    settle: async () => undefined,
  }
  await createWatch(ports, { logKey: verifierKeyOf(LOG), witness: undefined, chainHash: undefined }, undefined).look()
  await site.close()
  expect(alarms).toContain(`the receipt ${evidence} is the evidence of entries of ${days[0]} and of ${days[2]}`)
})

test('corrections of more than their disbursement are found over any number of days, and one of nothing', async () => {
  const days = [DAY, shiftDay(DAY, 1), shiftDay(DAY, 2), shiftDay(DAY, 3)] as [string, string, string, string]
  const [given, ...receipts] = ['given', 'a', 'b', 'c'].map((name) => toHex(sha256(utf(name)))) as [string, string, string, string]
  const back = (corrects: string, evidence: string, paise: number) => [
    { corrects, days: [{ day: DAY, paise }], evidence: [evidence], paise },
  ]
  const files = new Map<string, Uint8Array>()
  const entries = days.map((day, index) => {
    const made = makeBooks({ day, entries: 0, members: 1, before: undefined, settled: undefined })
    const help = {
      ...made.help,
      disbursements: index === 0 ? [{ days: [{ day: DAY, paise: 9 }], evidence: [given], paise: 9 }] : [],
      corrections: [[], back(given, receipts[0], 5), back(given, receipts[1], 5), back('f'.repeat(64), receipts[2], 1)][index] ?? [],
    }
    const bytes = canonicalBytes({ ...made, help, liabilities: { ...made.liabilities, root: '00'.repeat(32) } })
    files.set(`books/${day}`, bytes)
    const record = { v: 1, kind: 'books', day, books: toHex(sha256(bytes)) } as const
    return { index, leaf: new Uint8Array(), json: record, record, problem: undefined }
  })
  const watched = evidenceOfAllDays(memorySource(files))
  const hidden = files.get(`books/${DAY}`) as Uint8Array
  files.delete(`books/${DAY}`)
  // Without the books of the disbursement nothing is said of its corrections.
  expect(await watched(entries, days[2])).toEqual([])
  files.set(`books/${DAY}`, hidden)
  expect(await watched(entries, days[3])).toEqual([
    `a correction of ${days[2]} returns more to a day than the disbursement with the receipt ${given} took`,
    `a correction of ${days[3]} is of the receipt ${'f'.repeat(64)}, which is the evidence of no disbursement`,
  ])
})

test('debts paid beyond all losses are found; a loss that the platform covered may be paid later', async () => {
  const days = [DAY, shiftDay(DAY, 1), shiftDay(DAY, 2), shiftDay(DAY, 3)] as [string, string, string, string]
  const losses = [-700, 40, 40, 41]
  const files = new Map<string, Uint8Array>()
  const entries = days.map((day, index) => {
    const made = makeBooks({ day, entries: 0, members: 1, before: undefined, settled: undefined })
    const accounts = made.accounts.map((one) => (one.account === 'LOSSES' ? { ...one, closing: losses[index] ?? 0 } : one))
    const flows = index === 1 ? [{ from: 'PLATFORM', kind: 'losses_covered', paise: 40, to: 'LOSSES' }] : []
    const help = { ...made.help, disbursements: [] }
    const bytes = canonicalBytes({ ...made, accounts, flows, help, liabilities: { ...made.liabilities, root: '00'.repeat(32) } })
    files.set(`books/${day}`, bytes)
    const record = { v: 1, kind: 'books', day, books: toHex(sha256(bytes)) } as const
    return { index, leaf: new Uint8Array(), json: record, record, problem: undefined }
  })
  const watched = evidenceOfAllDays(memorySource(files))
  expect(await watched(entries, days[2])).toEqual([])
  const found = [`by ${days[3]} 1 paise of debts were paid beyond all losses there ever were`]
  expect([await watched(entries, days[3]), await watched(entries, days[3])]).toEqual([found, []])
})
