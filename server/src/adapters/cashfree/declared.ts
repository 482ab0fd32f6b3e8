/** The settings of Cashfree's accounts (config/declared.ts). */
export const cashfreeSettings = {
  CASHFREE_MODE: {
    kind: 'choice',
    of: ['sandbox', 'production'],
    shown: 'sandbox; production with PAYMENTS=cashfree: production',
    says: 'The gateway’s mode. A production server accepts only the live one.',
  },
  CASHFREE_PG_CLIENT_ID: { kind: 'text', needed: true, shown: 'the sandbox’s', says: 'The id of the payments account.' },
  CASHFREE_PG_CLIENT_SECRET: {
    kind: 'text',
    needed: true,
    secret: true,
    shown: 'the sandbox’s',
    says: 'The secret of the payments account.',
  },
  CASHFREE_PG_CLIENT_SECRET_OLD: {
    kind: 'text',
    secret: true,
    says: 'The former secret while it is replaced ([runbook](runbooks/keys.md)): webhooks signed with it are accepted too.',
  },
  CASHFREE_PG_BASE_URL: { kind: 'url', shown: 'the sandbox’s, or Cashfree’s', says: 'The address of the payments API.' },
  CASHFREE_PG_API_VERSION: { kind: 'text', otherwise: '2025-01-01', says: 'The version of the payments API.' },
  PAYMENT_METHODS: {
    kind: 'list',
    shown: 'all that the gateway has activated',
    says: 'The ways to pay that the gateway offers for adding money: `upi`, `cc`, `dc`, `nb` (cards and netbanking) and other words of the gateway, comma-separated. AutoPay is always by UPI.',
  },
  CASHFREE_JS_URL: { kind: 'url', shown: 'the sandbox’s, or Cashfree’s', says: 'The browser script of the checkout.' },
  CASHFREE_PAYOUT_CLIENT_ID: {
    kind: 'text',
    shown: 'the sandbox’s; with PAYMENTS=cashfree none',
    says: 'The id of the payouts account. Without it payouts are manual: finance pays from the bank and enters the bank’s reference.',
  },
  CASHFREE_PAYOUT_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    shown: 'the sandbox’s; with PAYMENTS=cashfree none',
    says: 'The secret of the payouts account.',
  },
  CASHFREE_PAYOUT_CLIENT_SECRET_OLD: {
    kind: 'text',
    secret: true,
    says: 'The former secret of payouts while it is replaced: webhooks signed with it are accepted too.',
  },
  CASHFREE_PAYOUT_BASE_URL: { kind: 'url', shown: 'the sandbox’s, or Cashfree’s', says: 'The address of the payouts API.' },
  CASHFREE_PAYOUT_API_VERSION: { kind: 'text', otherwise: '2024-01-01', says: 'The version of the payouts API.' },
  CASHFREE_PAYOUT_PUBLIC_KEY: {
    kind: 'pem',
    secret: true,
    says: 'The gateway’s RSA public key (PEM, line ends as `\\n`), which encrypts the signature of each payout call. It is needed if the server’s address is not on the gateway’s allowlist.',
  },
  CASHFREE_VERIFICATION_CLIENT_ID: {
    kind: 'text',
    shown: 'the sandbox’s; with PAYMENTS=cashfree none',
    says: 'The id of the Secure ID account. With it the bank of a withdrawal’s UPI ID is asked, by a rupee, whether the name is the member’s: members and finance see the result, and nothing is refused.',
  },
  CASHFREE_VERIFICATION_CLIENT_SECRET: {
    kind: 'text',
    secret: true,
    shown: 'the sandbox’s; with PAYMENTS=cashfree none',
    says: 'The secret of the Secure ID account.',
  },
  CASHFREE_VERIFICATION_BASE_URL: { kind: 'url', shown: 'the sandbox’s, or Cashfree’s', says: 'The address of the Secure ID API.' },
  CASHFREE_VERIFICATION_API_VERSION: { kind: 'text', otherwise: '2024-12-01', says: 'The version of the Secure ID API.' },
  CASHFREE_VERIFICATION_PUBLIC_KEY: { kind: 'pem', secret: true, says: 'The same key as that of payouts, for the Secure ID account.' },
} as const
