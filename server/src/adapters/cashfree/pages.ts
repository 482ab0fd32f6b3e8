/** Origins of Cashfree's hosted pages and forms, for the content security policy. */

const HOSTS = { production: ['api', 'payments'], sandbox: ['sandbox', 'payments-test'] } as const

/** The local sandbox serves its pages beside its script. */
export const pagesOf = (script: string, mode: 'sandbox' | 'production'): readonly string[] =>
  new URL(script).hostname.endsWith('.cashfree.com') ? HOSTS[mode].map((host) => `https://${host}.cashfree.com`) : [script]
