/** Devices under another SECRET_KEY: how their column is encrypted again. */
import { sql } from '../../db/sql.ts'
import { type EncryptedColumn, plainColumn } from '../../secrets/encrypted-columns.ts'
import { decryptDevice, encryptDevice } from './devices.ts'

export const deviceColumn: EncryptedColumn = {
  ...plainColumn({
    name: 'devices',
    table: sql`push_device`,
    column: sql`sealed`,
    context: sql`'push_device:' || member_id || ':' || encode(endpoint_mac, 'hex')`,
  }),
  memberId: sql`member_id`,
  mac: sql`endpoint_mac`,
  write: async (tx, secrets, rows) => {
    const renewed = rows.map(({ memberId, mac, sealed }) =>
      encryptDevice(secrets, memberId, decryptDevice(secrets, { memberId, endpointMac: mac, sealed })),
    )
    const macs = renewed.map((device) => device.macs[0])
    const at = rows.map((row) => row.at)
    // A browser that has subscribed again meanwhile has a newer row, so the old one is deleted.
    await tx.query(sql`
      delete from push_device t using unnest(${at}::tid[], ${macs}::bytea[]) as v(at, mac)
       where t.ctid = v.at and exists (select from push_device o where o.endpoint_mac = v.mac and o.id <> t.id)`)
    await tx.query(sql`
      update push_device t set sealed = v.sealed, endpoint_mac = v.mac
        from unnest(${at}::tid[], ${renewed.map(({ sealed }) => sealed)}::bytea[], ${macs}::bytea[]) as v(at, sealed, mac) where t.ctid = v.at`)
  },
}
