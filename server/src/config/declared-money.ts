/** The settings about money (declared.ts). */
import type { Group } from './declared-kinds.ts'

export const money = {
  SPLIT_POLICY: {
    kind: 'choice',
    of: ['A', 'B'],
    otherwise: 'A',
    says: 'A: 60 % need, 30 % one winner, 10 % platform. B: 70 % need, 30 % shared by `WINNERS_B` winners. A change applies from the first round that is not created yet.',
  },
  WINNERS_B: { kind: 'integer', min: 1, max: 1000, otherwise: 3, says: 'The number of winners of split B.' },
  TOPUP_MIN: { kind: 'integer', min: 1, max: 100_000, otherwise: 10, says: 'The minimum of a top-up, in whole rupees.' },
  TOPUP_MAX: { kind: 'integer', min: 1, max: 100_000, otherwise: 30, says: 'The maximum of a top-up, in whole rupees.' },
  APPROVAL_ABOVE: {
    kind: 'rupees',
    otherwise: '1000',
    says: 'What one person decides alone in 24 hours (withdrawals, refunds, suspense, help, platform entries); above it two persons are needed.',
  },
  GATEWAY_FEE_BASIS_POINTS: {
    kind: 'integer',
    min: 0,
    max: 1000,
    otherwise: 195,
    says: 'What the gateway charges of a payment, in hundredths of a percent and before tax, by the contract with it. A settlement with another rate is a finding. 0: not compared.',
  },
  TDS_PERCENT: {
    kind: 'integer',
    min: 0,
    max: 99,
    otherwise: 0,
    says: 'The percentage of tax withheld from prizes above `TDS_ABOVE_RUPEES`.',
  },
  TDS_ABOVE_RUPEES: { kind: 'rupees', otherwise: '0', says: 'Prizes up to this amount are not taxed.' },
  DRAW: {
    kind: 'flag',
    shown: 'on; production: off until the three legal settings are set',
    says: 'The switch for draws. Each round is made a day ahead and keeps the value of then. Without a draw the reward share goes to need.',
  },
  CASHOUT: { kind: 'flag', shown: 'as DRAW', says: 'The switch for withdrawals, from the start of the server.' },
  AUTOPAY: {
    kind: 'flag',
    shown: 'off; the demo with its sandbox: on',
    says: 'The switch for setting up and debiting AutoPay, from the start of the server. The gateway must have activated UPI AutoPay for the account.',
  },
  AUTOPAY_BELOW: {
    kind: 'integer',
    min: 2,
    max: 100,
    otherwise: 5,
    says: 'AutoPay adds money to a wallet with less than this, in rupees.',
  },
  PAYMENTS_LIVE: { kind: 'flag', shown: 'as DRAW', says: 'The switch for adding money, from the start of the server.' },
} as const satisfies Group
