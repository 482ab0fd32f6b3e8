import { ConfigError, readConfig } from '../config/config.ts'

/** The least settings with which the program starts in production, except for its database. */
export const PRODUCTION = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://roz.example',
  SECRET_KEY: 'a secret key that is long enough for production',
  MAIL_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'no-reply@roz.example',
  ADMIN_EMAIL: 'owner@roz.example',
  ADMIN_PASSWORD: 'a password for the owner',
  TRUST_PROXY: 'none',
  METRICS_TOKEN: 'a token for metrics',
  SUPPORT_EMAIL: 'help@roz.example',
  SUPPORT_PHONE: '+91 20 2345 6789',
  OFFICE_ADDRESS: '4 Lake Road, Nagpur 440010, India',
  CASHFREE_PG_CLIENT_ID: 'id',
  CASHFREE_PG_CLIENT_SECRET: 'secret',
  PAYMENTS: 'cashfree',
  BEACON: 'drand',
} as const

/** The same with TLS to a database and a mail server elsewhere. */
export const PRODUCTION_BY_TLS = {
  ...PRODUCTION,
  DATABASE_URL: 'postgres://roz_app@db/roz?sslmode=verify-full',
  MAIL_URL: 'smtps://mail.example',
} as const

/** Why these settings are refused. */
export function complaintsOf(env: Record<string, string>, read: (env: Record<string, string>) => unknown = readConfig): readonly string[] {
  try {
    read(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.complaints
    throw error
  }
}
