/** Checks which commit subjects `npm run check` accepts. */
import { expect, test } from 'vitest'
import { subjectFault } from '../launch/commits.mjs'

test.each([
  'Refuse a second join of the same day',
  'Bring the audit to the portal',
  'Say what can be told',
  'Help a member out of a hold',
  `Add ${'a'.repeat(68)}`,
])('the subject "%s" is accepted', (subject) => {
  expect(subjectFault(subject)).toBeUndefined()
})

test.each([
  [`Add ${'a'.repeat(69)}`, '73 characters'],
  ['refuse a second join', 'capital letter'],
  ['A second join is refused', 'imperative'],
  ['Refused a second join', 'imperative'],
  ['Refusing a second join', 'imperative'],
  ['Staff move no money as members', 'imperative'],
  ['Receipts are signed by the key of their day', 'states something'],
  ['Members join once a day', 'imperative'],
  ['Help is paid by two persons', 'states something'],
])('the subject "%s" is refused', (subject, fault) => {
  expect(subjectFault(subject)).toContain(fault)
})
