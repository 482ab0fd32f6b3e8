/**
 * Checks whether the platform has what it owes, by its own books (spec/protocol.md, chapter 12, *Solvency*).
 *
 * - Fees and losses are the platform's to bear. Where they exceed its share, money of members or of the help fund is missing.
 * - The books cannot prove that somebody stole. So what is missing or unproven makes the step weak, with the amount.
 */
import type { Books } from './books.ts'
import { fail, type Said, weak, type Weakness } from './steps.ts'
import { flowed, sum } from './sums.ts'

const OWN = new Set(['BANK', 'GATEWAY', 'GATEWAY_FEES', 'LOSSES', 'PLATFORM'])

export function checkSolvency({ accounts, flows }: Books): Said {
  const closing = (name: string): number => accounts.find(({ account }) => account === name)?.closing ?? 0
  // A share below zero is a finding of books-balance.
  const [share, fees, losses] = [Math.max(closing('PLATFORM'), 0), closing('GATEWAY_FEES'), closing('LOSSES')]
  const borneToday = sum(flows.flatMap(({ from, paise }) => (from === 'GATEWAY_FEES' || from === 'LOSSES' ? [paise] : [])))
  // Money recovered from a covered loss stays for the next one.
  const uncovered = -sum([share, fees, Math.min(losses, 0), borneToday])
  if (flowed(flows, 'platform_out') > 0 && uncovered > 0)
    fail(`the platform was paid while its share did not cover ${uncovered} paise of older fees and losses`)
  const owed = sum(accounts.flatMap((one) => (OWN.has(one.account) ? [] : [one.closing])))
  const missing = -sum([share, fees, losses])
  const [unproven, debts] = [flowed(flows, 'suspense_paid'), flowed(flows, 'debt_paid')]
  const found: readonly (readonly [Weakness, number, string])[] = [
    ['uncovered', missing, `the house owes ${owed} paise and ${missing} of them are missing: fees and losses exceed the platform’s share`],
    ['unproven', unproven, `${unproven} paise left SUSPENSE by decision, and no evidence is published`],
    ['no-loss', debts > 0 ? losses : 0, `${losses} paise of debts were paid beyond all losses in the accounts`],
  ]
  const wrong = found.filter(([, paise]) => paise > 0)
  const [first] = wrong
  if (first !== undefined) weak(first[0], wrong.map(([, , words]) => words).join('; '), { paise: String(first[1]) })
  return `the platform’s share covers fees and losses, and ${-missing} paise are left`
}
