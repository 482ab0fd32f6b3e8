/**
 * The cluster of lab/cluster with members and a journal, as a target of fault injection.
 * - A part that exits without a fault is reported as a finding.
 * - `repair` undoes whatever a fault did, and waits until the cluster is whole.
 */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signal } from '@roz/server/db/embedded/process.ts'
import { connect, sql } from '@roz/server/db/sql.ts'
import {
  answers,
  type Cluster,
  type ClusterNode,
  directUrl,
  isOk,
  isWhole,
  lastLines,
  leaderOf,
  PARTS,
  startCluster,
  untilTrue,
} from '../../cluster/cluster.ts'
import { canMakeMachines, canMakeNetworks } from '../../cluster/machines.ts'
import { isOnPath, missingFor } from '../../cluster/requirements.ts'
import { leaseOf, PORT } from '../../cluster/settings.ts'
import { ADMIN, freePorts, webDir } from '../../../e2e/harness/program.ts'
import { type End, openWithEnds } from '../cleanup.ts'
import { openJournal } from '../journal.ts'
import { makeMembers } from '../members.ts'
import { makeDesk, TAXED } from '../outlays.ts'
import { makeTeam } from '../team.ts'

const BACK_WITHIN_MS = 60_000
const WHOLE_WITHIN_MS = 120_000
const LOOK_MS = 50

export type ClusterTarget = Awaited<ReturnType<typeof openClusterTarget>>
type Options = { readonly members: number; readonly leaseSeconds: number; readonly say?: (line: string) => void }

/** The requirements of a cluster that this machine does not meet, as sentences. */
export const lackingHere = (): Promise<string[]> =>
  missingFor({ platform: process.platform, isRoot: process.getuid?.() === 0, hasProgram: isOnPath, canMakeMachines })
/** Without networks of their own the nodes cannot be cut off. */
export const canCutHere = canMakeNetworks

export const openClusterTarget = (options: Options) => openWithEnds((ends) => build(options, ends))

async function build({ members: count, leaseSeconds, say = () => undefined }: Options, ends: End[]) {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'roz-faults-')))
  ends.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const port = await freePorts()
  const cluster: Cluster = await startCluster({
    port,
    sandboxPort: port + 1,
    lease: leaseOf(leaseSeconds),
    ownNetworks: await canMakeNetworks(),
    webDir: webDir(),
    env: { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DEMO: '0', LOG_LEVEL: 'error', DRAIN_SECONDS: '2', ...TAXED },
    say,
  })
  ends.push(() => cluster.stop())
  const db = connect({ url: directUrl('postgres', cluster), max: 3, applicationName: 'roz-faults' })
  ends.push(() => db.close())
  const journal = openJournal(path.join(folder, 'journal.jsonl'))
  ends.push(() => journal.close())
  const writing = connect({ url: directUrl('roz_app', cluster), max: 2, applicationName: 'roz-faults' })
  const members = await makeMembers(writing, journal, count)
  const desk = await makeDesk(writing, members[0]?.id ?? '')
  await writing.close()
  await makeTeam(db)
  const complaints: string[] = []
  const { nodes, network } = cluster

  /**
   * An etcd that was restarted has joined the others again: a fault of another node would otherwise be the second at once.
   * Its process is no sign: after SIGTERM it lives on for seconds, is not started meanwhile, and is gone afterwards.
   */
  const hasEtcd = ({ address }: ClusterNode): Promise<boolean> => isOk(`http://${address}:${PORT.etcd}/health`)
  const isAllUp = async (): Promise<boolean> =>
    (await isWhole(cluster)) &&
    (await Promise.all(nodes.flatMap((node) => [answers(node), hasEtcd(node)]))).every(Boolean) &&
    (await isOk(`http://127.0.0.1:${port}/readyz`))
  return {
    cluster,
    db,
    journal,
    members,
    desk,
    servers: {
      url: () => `http://127.0.0.1:${port}`,
      sandboxUrl: () => cluster.sandboxUrl,
      /** A fault repairs its own damage. */
      revive: () => Promise.resolve(),
      complaints: (): readonly string[] => complaints,
      /** Everything that the product printed, and the end of each program's output. */
      printed: () => [...nodes.map((node) => readFileSync(node.log('product'), 'utf8')), lastLines(cluster)].join('\n'),
    },
    now: async (): Promise<Date> => (await db.one<{ now: Date }>(sql`select roz_now() as now`)).now,
    async setClock(atMs: number): Promise<void> {
      await db.query(sql`select set_clock_offset(${Math.round(atMs - Date.now())}::bigint)`)
    },
    databaseBack: () =>
      untilTrue(
        cluster,
        'the database',
        () =>
          db.query(sql`select`).then(
            () => true,
            () => false,
          ),
        BACK_WITHIN_MS,
      ),
    /** From now on, acknowledged commits are only on the leader's disk: the judge must report those lost with it. */
    async commitOnOneNode(): Promise<void> {
      await db.query(sql`alter role roz_app set synchronous_commit = 'local'`)
      await db.query(sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'roz_app'`)
    },
    async leader(): Promise<ClusterNode> {
      await untilTrue(cluster, 'a leader', async () => (await leaderOf(cluster)) !== undefined, BACK_WITHIN_MS)
      return (await leaderOf(cluster)) as ClusterNode
    },
    /** Waits until another node than this one is the leader. */
    async succeeded(former: ClusterNode): Promise<void> {
      const others = nodes.filter((node) => node !== former)
      await untilTrue(
        cluster,
        `a leader after ${former.name}`,
        async () => (await leaderOf({ nodes: others })) !== undefined,
        BACK_WITHIN_MS,
      )
    },
    /** The parts that exited without a fault since the last repair. */
    async expectAllUp(): Promise<void> {
      for (const node of nodes)
        for (const part of PARTS) if (node.pidsOf(part).length === 0) complaints.push(`${part} of ${node.name} ended by itself`)
      await untilTrue(cluster, 'a whole cluster', isAllUp, WHOLE_WITHIN_MS)
    },
    async repair(): Promise<void> {
      for (const node of nodes) {
        for (const pid of node.pids()) signal(pid, 'SIGCONT')
        if (network.canCut) network.mend(node.place)
      }
      // A part that was told to end may still be ending.
      await sleep(LOOK_MS)
      await untilTrue(
        cluster,
        'a repaired cluster',
        async () => {
          for (const node of nodes) for (const part of PARTS) node.startPart(part)
          return isAllUp()
        },
        WHOLE_WITHIN_MS,
      )
    },
  }
}
