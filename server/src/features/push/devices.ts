/**
 * Members' devices.
 *
 * - A device belongs to the session that subscribed it, and ends with the session.
 * - One browser is one device, of the member who used it last. It keeps its id, because pages of results are cut by id.
 * - A member has at most ten devices, the newest, and none after switching push off.
 * - Lock order: the account, the browser's address, the session, the device.
 */
import type { MemberExport } from '@roz/contract/rights.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { PushTarget } from '../../adapters/push/port.ts'
import { lockOneInTransaction } from '../../db/advisory-locks.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Secrets } from '../../secrets/secrets.ts'

export const DEVICES_MAX = 10

type NewDevice = {
  readonly sessionHash: Buffer
  readonly memberId: bigint
  readonly target: PushTarget
  readonly keyNumber: number
}
export type EncryptedDevice = { readonly memberId: bigint; readonly endpointMac: Buffer; readonly sealed: Buffer }
type DeviceSecrets = Pick<Secrets, 'encrypt' | 'decrypt' | 'fingerprints'>

const contextOf = (memberId: bigint, mac: Buffer): string => `push_device:${memberId}:${mac.toString('hex')}`

export const decryptDevice = (secrets: Pick<Secrets, 'decrypt'>, { memberId, endpointMac, sealed }: EncryptedDevice): PushTarget =>
  JSON.parse(secrets.decrypt(sealed, contextOf(memberId, endpointMac)).toString('utf8')) as PushTarget

/** A device as it is stored: the MACs it is found by, and the subscription, encrypted for that MAC and member. */
export function encryptDevice(secrets: Pick<Secrets, 'encrypt' | 'fingerprints'>, memberId: bigint, target: PushTarget) {
  const macs = secrets.fingerprints(Buffer.from(target.endpoint), 'push_endpoint')
  return { macs, sealed: secrets.encrypt(Buffer.from(JSON.stringify(target)), contextOf(memberId, macs[0])) }
}

const lockMember = async (tx: Tx, memberId: bigint): Promise<boolean> =>
  (await tx.query(sql`select 1 from member where id = ${memberId}::bigint and deleted_at is null for no key update`)).length > 0

/** Adds the session's device; false when the session has ended meanwhile. */
export function addDevice(db: Db, secrets: DeviceSecrets, device: NewDevice): Promise<boolean> {
  const { sessionHash, memberId, target, keyNumber } = device
  const { macs, sealed } = encryptDevice(secrets, memberId, target)
  const [mac] = macs
  return inTransaction(db, async (tx) => {
    if (!(await lockMember(tx, memberId))) return false
    await lockOneInTransaction(tx, 'pushDevice', mac.readInt32BE())
    const session = await tx.query(sql`select 1 from session where token_hash = ${sessionHash}::bytea for key share`)
    if (session.length === 0) return false
    // Also looks under the key before a rotation: a process that knows only that key may have written the row.
    const [same] = await tx.query<{ id: bigint }>(
      sql`select id from push_device where endpoint_mac = any (${macs}::bytea[]) order by told_day desc nulls last, id limit 1 for update`,
    )
    await tx.query(sql`
      delete from push_device where (endpoint_mac = any (${macs}::bytea[]) or session_hash = ${sessionHash}::bytea)
        and id is distinct from ${same?.id ?? null}::bigint`)
    // Updates the row in place, so that its id and the told day stay: pages of a result are cut by id.
    await (same === undefined
      ? tx.query(sql`
          insert into push_device (session_hash, member_id, endpoint_mac, sealed, key_number)
          values (${sessionHash}::bytea, ${memberId}::bigint, ${mac}::bytea, ${sealed}::bytea, ${keyNumber}::int)`)
      : tx.query(sql`
          update push_device
             set session_hash = ${sessionHash}::bytea, member_id = ${memberId}::bigint, endpoint_mac = ${mac}::bytea, sealed = ${sealed}::bytea,
                 key_number = ${keyNumber}::int, created_at = case when member_id = ${memberId}::bigint then created_at else roz_now() end
           where id = ${same.id}::bigint`))
    await tx.query(sql`
      delete from push_device where id in (
        select id from push_device where member_id = ${memberId}::bigint order by created_at desc, id desc offset ${DEVICES_MAX}::int)`)
    await tx.query(sql`update member set wants_push = true where id = ${memberId}::bigint and not wants_push`)
    return true
  })
}

/** Removes this session's device. After a member's last device, the member wants no push any more. */
export function removeDevice(db: Db, memberId: bigint, sessionHash: Buffer): Promise<void> {
  return inTransaction(db, async (tx) => {
    if (!(await lockMember(tx, memberId))) return
    await tx.query(sql`delete from push_device where session_hash = ${sessionHash}::bytea`)
    await tx.query(sql`
      update member set wants_push = false where id = ${memberId}::bigint and wants_push
        and not exists (select from push_device where member_id = ${memberId}::bigint)`)
  })
}

/** The number of the key that this session's device subscribed with. */
export const findDeviceKey = async (from: Queryable, sessionHash: Buffer): Promise<number | undefined> =>
  (await from.maybeOne<{ number: number }>(sql`select key_number as number from push_device where session_hash = ${sessionHash}::bytea`))
    ?.number

/** Forgets a device whose push service says that it is gone. Compares the address too, because the row may belong to another browser by now. */
export const forgetGone = (db: Db, { id, endpointMac }: { readonly id: bigint; readonly endpointMac: Buffer }): Promise<unknown> =>
  db.query(sql`delete from push_device where id = ${id}::bigint and endpoint_mac = ${endpointMac}::bytea`)

export async function listDevices(from: Queryable, secrets: DeviceSecrets, memberId: bigint): Promise<MemberExport['devices']> {
  const rows = await from.query<EncryptedDevice & { readonly createdAt: Date }>(sql`
    select member_id as "memberId", endpoint_mac as "endpointMac", sealed, created_at as "createdAt"
      from push_device where member_id = ${memberId}::bigint order by created_at desc, id desc`)
  return rows.map((row) => ({ endpoint: decryptDevice(secrets, row).endpoint, since: isoIst(row.createdAt.getTime()) }))
}
