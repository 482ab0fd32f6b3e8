/**
 * Members' devices. Invariants: a device belongs to the session that named it and ends with it; one
 * browser is one device, whoever used it last; a member has at most ten, the newest; whoever wants no
 * results has none. The account is locked first, then the browser's address, then the session.
 */
import type { MemberExport } from '@roz/contract/rights.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { PushTarget } from '../../adapters/push/port.ts'
import { type Db, maybeOne, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Secrets } from '../../secrets.ts'

export const DEVICES_MAX = 10

export type NewDevice = {
  readonly sessionHash: Buffer
  readonly memberId: bigint
  readonly target: PushTarget
  readonly keyNumber: number
}
export type SealedDevice = { readonly memberId: bigint; readonly endpointMac: Buffer; readonly sealed: Buffer }
type DeviceSecrets = Pick<Secrets, 'seal' | 'open' | 'fingerprints'>

const contextOf = (memberId: bigint, mac: Buffer): string => `push_device:${memberId}:${mac.toString('hex')}`

export const openDevice = (secrets: Pick<Secrets, 'open'>, { memberId, endpointMac, sealed }: SealedDevice): PushTarget =>
  JSON.parse(secrets.open(sealed, contextOf(memberId, endpointMac)).toString('utf8')) as PushTarget

/** A device as it lies: what it is looked up by, and the subscription bound to that and its member. */
export function sealDevice(secrets: Pick<Secrets, 'seal' | 'fingerprints'>, memberId: bigint, target: PushTarget) {
  const macs = secrets.fingerprints(Buffer.from(target.endpoint), 'push_endpoint')
  return { macs, sealed: secrets.seal(Buffer.from(JSON.stringify(target)), contextOf(memberId, macs[0])) }
}

const lockMember = async (tx: Tx, memberId: bigint): Promise<boolean> =>
  (await tx.query(sql`select 1 from member where id = ${memberId}::bigint and deleted_at is null for no key update`)).length > 0

/** False where the session has ended meanwhile. */
export function addDevice(db: Db, secrets: DeviceSecrets, device: NewDevice): Promise<boolean> {
  const { sessionHash, memberId, target, keyNumber } = device
  const { macs, sealed } = sealDevice(secrets, memberId, target)
  const [mac] = macs
  return inTransaction(db, async (tx) => {
    if (!(await lockMember(tx, memberId))) return false
    await tx.query(sql`select pg_advisory_xact_lock(${mac.readBigInt64BE()}::bigint)`)
    const session = await tx.query(sql`select 1 from session where token_hash = ${sessionHash}::bytea for key share`)
    if (session.length === 0) return false
    // The same browser under another session: what it was told of stays told.
    const [same] = await tx.query<{ toldDay: string | null; memberId: bigint; createdAt: Date }>(sql`
      delete from push_device where endpoint_mac = any (${macs}::bytea[])
      returning told_day as "toldDay", member_id as "memberId", created_at as "createdAt"`)
    const since = same?.memberId === memberId ? same.createdAt : null
    await tx.query(sql`delete from push_device where session_hash = ${sessionHash}::bytea`)
    await tx.query(sql`
      insert into push_device (session_hash, member_id, endpoint_mac, sealed, key_number, told_day, created_at)
      values (${sessionHash}::bytea, ${memberId}::bigint, ${mac}::bytea, ${sealed}::bytea, ${keyNumber}::int,
        ${same?.toldDay ?? null}::date, coalesce(${since}::timestamptz, roz_now()))`)
    await tx.query(sql`
      delete from push_device where id in (
        select id from push_device where member_id = ${memberId}::bigint order by id desc offset ${DEVICES_MAX}::int)`)
    await tx.query(sql`update member set wants_push = true where id = ${memberId}::bigint and not wants_push`)
    return true
  })
}

/** Nothing is wanted any more once the last device is gone by its member's own hand. */
export function removeDevice(db: Db, memberId: bigint, sessionHash: Buffer): Promise<void> {
  return inTransaction(db, async (tx) => {
    if (!(await lockMember(tx, memberId))) return
    await tx.query(sql`delete from push_device where session_hash = ${sessionHash}::bytea`)
    await tx.query(sql`
      update member set wants_push = false where id = ${memberId}::bigint and wants_push
        and not exists (select from push_device where member_id = ${memberId}::bigint)`)
  })
}

/** The key that this session's device subscribed with. */
export const findDeviceKey = async (from: Queryable, sessionHash: Buffer): Promise<number | undefined> =>
  (await maybeOne<{ number: number }>(from, sql`select key_number as number from push_device where session_hash = ${sessionHash}::bytea`))
    ?.number

/** For the member's export. */
export async function listDevices(from: Queryable, secrets: DeviceSecrets, memberId: bigint): Promise<MemberExport['devices']> {
  const rows = await from.query<SealedDevice & { readonly createdAt: Date }>(sql`
    select member_id as "memberId", endpoint_mac as "endpointMac", sealed, created_at as "createdAt"
      from push_device where member_id = ${memberId}::bigint order by id desc`)
  return rows.map((row) => ({ endpoint: openDevice(secrets, row).endpoint, since: isoIst(row.createdAt.getTime()) }))
}
