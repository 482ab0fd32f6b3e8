/** Tampers of tampers.json that move money between accounts which the form of books allows. */
import { SPLIT_A, type Tamper } from './site-maker.ts'

export const MONEY_TAMPERS: Readonly<Record<string, Tamper>> = {
  'share-overdrawn': {
    flows: (flows) => void flows.push({ kind: 'platform_out', from: 'PLATFORM', to: 'BANK', paise: 1 }),
  },
  'cover-kept': {
    flowsBefore: (flows) =>
      void flows.push(
        { kind: 'cover', from: 'LOSSES', to: 'MEMBERS', paise: 300 },
        { kind: 'chargeback_back', from: 'GATEWAY', to: 'LOSSES', paise: 300 },
      ),
  },
  'taxed-to-nothing': { open: ({ tax }) => Object.assign(tax, { above: 0, percent: 100 }) },
  'fees-beyond-the-share': {
    flows: (flows) => void flows.push({ kind: 'gateway_settled', from: 'GATEWAY_FEES', to: 'GATEWAY', paise: 2000 }),
  },
  'losses-beyond-all-money': {
    flows: (flows) => void flows.push({ kind: 'chargeback', from: 'LOSSES', to: 'GATEWAY', paise: 10_000_000 }),
  },
  'paid-without-evidence': {
    flows: (flows) =>
      void flows.push(
        { kind: 'topup_suspense', from: 'GATEWAY', to: 'SUSPENSE', paise: 900 },
        { kind: 'suspense_paid', from: 'SUSPENSE', to: 'BANK', paise: 900 },
      ),
  },
  'debt-without-a-loss': { flows: (flows) => void flows.push({ kind: 'debt_paid', from: 'MEMBERS', to: 'LOSSES', paise: 300 }) },
  'share-paid-before-fees': {
    splitBefore: SPLIT_A,
    flowsBefore: (flows) => void flows.push({ kind: 'gateway_settled', from: 'GATEWAY_FEES', to: 'GATEWAY', paise: 60 }),
    flows: (flows) => void flows.push({ kind: 'platform_out', from: 'PLATFORM', to: 'BANK', paise: 10 }),
  },
  'opening-moved': {
    books: ({ accounts }) => {
      for (const [name, by] of [
        ['LOSSES', -500],
        ['PLATFORM', 500],
      ] as const) {
        const account = accounts.find((one) => one.account === name) as { opening: number; closing: number }
        account.opening += by
        account.closing += by
      }
    },
  },
}
