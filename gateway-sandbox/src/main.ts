/**
 * Runs the sandbox as a process of its own.
 *
 * - The process prints one line when it is ready.
 * - SIGTERM and Ctrl-C stop the process.
 * - With an IPC channel the process stops when its parent exits, so a killed server leaves no sandbox behind.
 */
import { join } from 'node:path'
import { type Account, API_VERSIONS, type PayoutAccount, type Tabs } from './calls.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`${name} is not set`)
  return value
}

/** Payouts are enabled if their client id is set. */
function payoutAccount(): PayoutAccount | undefined {
  if (process.env.CASHFREE_PAYOUT_CLIENT_ID === undefined) return undefined
  return {
    clientId: required('CASHFREE_PAYOUT_CLIENT_ID'),
    clientSecret: required('CASHFREE_PAYOUT_CLIENT_SECRET'),
    notifyUrl: process.env.PAYOUT_NOTIFY_URL,
    signatureKey: process.env.PAYOUT_SIGNATURE_KEY,
  }
}

/** Checks of bank details are enabled if their client id is set. */
function verificationAccount(): Account | undefined {
  if (process.env.CASHFREE_VERIFICATION_CLIENT_ID === undefined) return undefined
  return {
    clientId: required('CASHFREE_VERIFICATION_CLIENT_ID'),
    clientSecret: required('CASHFREE_VERIFICATION_CLIENT_SECRET'),
    signatureKey: process.env.VERIFICATION_SIGNATURE_KEY,
  }
}

/** The tabs of the dashboard. A control call may set them later. */
function tabs(): Tabs {
  const url = process.env.SUBSCRIPTION_NOTIFY_URL
  const asked = process.env.SUBSCRIPTION_WEBHOOK_VERSION ?? '2025-01-01'
  const version = API_VERSIONS.find((one) => one === asked)
  if (version === undefined) throw new Error(`SUBSCRIPTION_WEBHOOK_VERSION is none of ${API_VERSIONS.join(', ')}`)
  return { payments: process.env.PG_NOTIFY_URL, subscriptions: url === undefined ? undefined : { url, version } }
}

async function stop(sandbox: Sandbox): Promise<void> {
  await sandbox.close()
  process.exit(0)
}

const sandbox = await startSandbox({
  port: Number(required('SANDBOX_PORT')),
  host: process.env.HOST ?? '127.0.0.1',
  dataDir: join(required('DATA_DIR'), 'gateway-sandbox'),
  pg: { clientId: required('CASHFREE_PG_CLIENT_ID'), clientSecret: required('CASHFREE_PG_CLIENT_SECRET') },
  payouts: payoutAccount(),
  verification: verificationAccount(),
  tabs: tabs(),
  clockUrl: process.env.CLOCK_URL,
})
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect'] as const) process.once(signal, () => void stop(sandbox))
process.send?.({ url: sandbox.url })
console.log(`gateway sandbox ready at ${sandbox.url}`)
