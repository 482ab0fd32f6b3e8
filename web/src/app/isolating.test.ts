import { setupI18n } from '@lingui/core'
import { filled } from '@roz/core/refusals.ts'
import { expect, test } from 'vitest'
import { isolating } from './isolating.ts'

const NAME = 'عبدالکلام'
const ISOLATE = `\u2068${NAME}\u2069`
const i18n = isolating(
  setupI18n({
    locale: 'en',
    messages: {
      en: {
        winner: ['Winner: ', ['name'], ', ', ['amount']],
        count: [['n', 'plural', { one: ['#', ' by ', ['name']], other: ['#', ' by ', ['name']] }]],
      },
    },
  }),
)

test('a name from right to left is isolated in every sentence, whichever way it is translated', () => {
  const values = { name: NAME, amount: '₹3.00' }
  const whole = `Winner: ${ISOLATE}, ₹3.00`
  expect([i18n._('winner', values), i18n.t('winner', values), i18n._({ id: 'winner', values }), i18n.t({ id: 'winner', values })]).toEqual([
    whole,
    whole,
    whole,
    whole,
  ])
  expect(i18n._('count', { n: 2, name: NAME })).toBe(`2 by ${ISOLATE}`)
})

test('other values stay as they are', () => {
  expect(i18n._('winner', { name: 'Asha {0} <b>', amount: '₹3.00' })).toBe('Winner: Asha {0} <b>, ₹3.00')
  expect(i18n._('winner')).toBe('Winner: , ')
})

test('a name in a refusal is isolated', () => {
  expect(filled('{name} has decided; ask {name}.', { name: NAME })).toBe(`${ISOLATE} has decided; ask ${ISOLATE}.`)
})
