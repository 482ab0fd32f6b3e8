/**
 * The settings of every program of the cluster, as text.
 * - Each of three nodes has etcd, Patroni with PostgreSQL, HAProxy (finds the leader), PgBouncer and the product.
 * - A commit waits for both standbys. Without a standby it waits for ever: nothing is acknowledged that exists once.
 * - A program listens only on its node's address.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'

export const PORT = { etcd: 2379, etcdPeers: 2380, postgres: 5432, patroni: 8008, leader: 5000, pooler: 6432, product: 8080 } as const
/** Of the cluster in etcd and in Patroni's commands. */
const SCOPE = 'roz'
export const DATABASE = 'roz'

type Node = { readonly name: string; readonly address: string }
/** Seconds. `loopWait + 2 × retryTimeout` may not exceed the lease. */
export type Lease = { readonly ttl: number; readonly loopWait: number; readonly retryTimeout: number }
export type Passwords = Readonly<Record<'postgres' | 'replicator' | 'rewinder' | 'patroni' | 'pooler' | 'roz_owner' | 'roz_app', string>>
export type Plan = {
  readonly nodes: readonly Node[]
  /** All addresses of the nodes and of the machine around them. */
  readonly network: string
  readonly passwords: Passwords
  readonly lease: Lease
}

/** The shortest lease of Patroni's documentation is 20 s; short-lease.py allows a shorter one. */
export const LEASE: Lease = { ttl: 8, loopWait: 2, retryTimeout: 3 }
export const PATRONIS_SHORTEST_TTL = 20

export function leaseOf(ttl: number): Lease {
  const lease = { ...LEASE, ttl }
  const shortest = lease.loopWait + 2 * lease.retryTimeout
  if (!Number.isInteger(ttl) || ttl < shortest || ttl > 60)
    throw new RangeError(`--lease is a whole number of seconds from ${shortest} to 60`)
  return lease
}

export const etcdArguments = ({ name, address }: Node, nodes: readonly Node[]): string[] =>
  [
    `/usr/bin/etcd --name ${name} --data-dir /data/etcd`,
    `--listen-peer-urls http://${address}:${PORT.etcdPeers} --initial-advertise-peer-urls http://${address}:${PORT.etcdPeers}`,
    `--listen-client-urls http://${address}:${PORT.etcd} --advertise-client-urls http://${address}:${PORT.etcd}`,
    `--initial-cluster ${nodes.map((node) => `${node.name}=http://${node.address}:${PORT.etcdPeers}`).join(',')}`,
    '--initial-cluster-state new --auto-compaction-retention 1 --log-level warn',
  ]
    .join(' ')
    .split(' ')

/** For all nodes, kept in etcd: `patronictl edit-config` changes it later. */
const sharedByNodes = ({ ttl, loopWait, retryTimeout }: Lease) => ({
  ttl,
  loop_wait: loopWait,
  retry_timeout: retryTimeout,
  // A primary that crashed is not waited for: its recovery may take long, and the standbys have everything.
  primary_start_timeout: 0,
  // Both standbys: with one of two, a standby that has not noticed a failover yet could confirm a commit of the old primary.
  synchronous_mode: true,
  synchronous_mode_strict: true,
  synchronous_node_count: 2,
  // Patroni's failsafe mode: without etcd the primary keeps serving while it reaches every standby.
  failsafe_mode: true,
  postgresql: {
    use_pg_rewind: true,
    use_slots: true,
    parameters: {
      max_connections: 200,
      max_wal_senders: 10,
      max_replication_slots: 10,
      wal_log_hints: 'on',
      wal_keep_size: '256MB',
      max_slot_wal_keep_size: '4GB',
      // A link that is silent for this long counts as cut.
      wal_sender_timeout: '4s',
      wal_receiver_timeout: '4s',
      tcp_keepalives_idle: 5,
      tcp_keepalives_interval: 2,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 10_000,
    },
  },
})

/** JSON is YAML. */
export const patroniSettings = (node: Node, { nodes, network, passwords, lease }: Plan): string =>
  `${JSON.stringify(
    {
      scope: SCOPE,
      name: node.name,
      restapi: {
        listen: `${node.address}:${PORT.patroni}`,
        connect_address: `${node.address}:${PORT.patroni}`,
        authentication: { username: 'patroni', password: passwords.patroni },
      },
      etcd3: { hosts: nodes.map(({ address }) => `${address}:${PORT.etcd}`) },
      bootstrap: {
        dcs: sharedByNodes(lease),
        initdb: [
          { encoding: 'UTF8' },
          { 'locale-provider': 'builtin' },
          { 'builtin-locale': 'C.UTF-8' },
          { locale: 'C' },
          'data-checksums',
        ],
      },
      postgresql: {
        listen: `${node.address}:${PORT.postgres}`,
        connect_address: `${node.address}:${PORT.postgres}`,
        data_dir: '/data/postgres',
        bin_dir: '/usr/lib/postgresql/18/bin',
        pgpass: '/data/pgpass',
        authentication: {
          superuser: { username: 'postgres', password: passwords.postgres },
          replication: { username: 'replicator', password: passwords.replicator },
          rewind: { username: 'rewinder', password: passwords.rewinder },
        },
        parameters: { unix_socket_directories: '/data' },
        pg_hba: [
          'local all postgres scram-sha-256',
          `host replication replicator ${network} scram-sha-256`,
          `host all all ${network} scram-sha-256`,
        ],
      },
      // No hardware watchdog: a hanging node is fenced, because nobody confirms its commits.
      watchdog: { mode: 'off' },
    },
    undefined,
    2,
  )}\n`

/** Routes to the leader's PostgreSQL. A server that loses the leadership loses its connections. */
export const leaderProxySettings = (node: Node, nodes: readonly Node[]): string => `global
  maxconn 1000
defaults
  mode tcp
  timeout connect 2s
  timeout client 30m
  timeout server 30m
  timeout check 1s
listen leader
  bind ${node.address}:${PORT.leader}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 init-state fully-down on-marked-down shutdown-sessions
${nodes.map(({ name, address }) => `  server ${name} ${address}:${PORT.postgres} check port ${PORT.patroni}`).join('\n')}
`

/** In transaction mode, with the product's named statements. */
export const poolerSettings = ({ address }: Node): string => `[databases]
${DATABASE} = host=${address} port=${PORT.leader} dbname=${DATABASE}
[pgbouncer]
listen_addr = ${address}
listen_port = ${PORT.pooler}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = /data/userlist.txt
admin_users = pooler
pool_mode = transaction
max_prepared_statements = 500
max_client_conn = 500
default_pool_size = 30
; A failover must not wait for the pooler's default of 15 s between two tries.
server_login_retry = 1
server_connect_timeout = 5
query_wait_timeout = 20
tcp_keepalive = 1
tcp_keepidle = 5
tcp_keepintvl = 2
tcp_keepcnt = 3
tcp_user_timeout = 10000
`

export const poolerUsers = ({ roz_app, pooler }: Passwords): string => `"roz_app" "${roz_app}"\n"pooler" "${pooler}"\n`

/**
 * The address of the product: HAProxy in front of the three instances.
 * - An answer of /readyz may take 12 s: during a planned switch-over the poolers pause every statement for a few seconds.
 */
export const frontSettings = (port: number, nodes: readonly Node[]): string => `global
  maxconn 2000
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout http-request 15s
  timeout check 12s
  retries 3
  option redispatch 1
frontend product
  bind 127.0.0.1:${port}
  http-request set-header X-Forwarded-For %[src]
  default_backend instances
backend instances
  balance roundrobin
  option httpchk GET /readyz
  http-check expect status 200
  default-server inter 1s fastinter 500ms downinter 500ms fall 2 rise 1 init-state down on-marked-down shutdown-sessions
${nodes.map(({ name, address }) => `  server ${name} ${address}:${PORT.product} check`).join('\n')}
`

const RIGHTS = readFileSync(path.join(import.meta.dirname, '../../server/src/db/rights.sql'), 'utf8')

/** Roles and database of the product. */
export const rolesSql = ({ roz_owner, roz_app }: Passwords): string => `create role roz_owner login password '${roz_owner}';
create role roz_app login password '${roz_app}';
create database ${DATABASE} owner roz_owner;
${RIGHTS}`

const GATEWAY = {
  CASHFREE_PG_CLIENT_ID: 'sandbox-client',
  CASHFREE_PG_CLIENT_SECRET: 'sandbox-secret',
  CASHFREE_PAYOUT_CLIENT_ID: 'sandbox-payout-client',
  CASHFREE_PAYOUT_CLIENT_SECRET: 'sandbox-payout-secret',
} as const

/** One sandbox of the gateway serves all instances. */
export const sandboxEnvironment = (at: {
  readonly host: string
  readonly port: number
  readonly productPort: number
}): Record<string, string> => ({
  ...GATEWAY,
  HOST: at.host,
  SANDBOX_PORT: String(at.port),
  DATA_DIR: '/data/sandbox',
  CLOCK_URL: `http://127.0.0.1:${at.productPort}/dev/clock`,
  PAYOUT_NOTIFY_URL: `http://127.0.0.1:${at.productPort}/api/webhooks/cashfree-payouts`,
})

export const productEnvironment = (
  { address }: Node,
  { passwords, sandboxUrl, secretKey }: { readonly passwords: Passwords; readonly sandboxUrl: string; readonly secretKey: string },
): Record<string, string> => ({
  ...GATEWAY,
  PAYMENTS: 'cashfree',
  CASHFREE_MODE: 'sandbox',
  CASHFREE_PG_BASE_URL: `${sandboxUrl}/pg`,
  CASHFREE_JS_URL: `${sandboxUrl}/js/v3/cashfree.js`,
  CASHFREE_PAYOUT_BASE_URL: `${sandboxUrl}/payout`,
  HOST: address,
  PORT: String(PORT.product),
  // The node's network reaches only this machine.
  ALLOW_INSECURE: 'host',
  TRUST_PROXY: '1',
  DATABASE_URL: `postgres://roz_app:${passwords.roz_app}@${address}:${PORT.pooler}/${DATABASE}`,
  // Migrations use session locks, so they bypass the pooler.
  MIGRATE_DATABASE_URL: `postgres://roz_owner:${passwords.roz_owner}@${address}:${PORT.leader}/${DATABASE}`,
  DATA_DIR: '/data/product',
  WEB_DIR: '/web',
  SECRET_KEY: secretKey,
})
