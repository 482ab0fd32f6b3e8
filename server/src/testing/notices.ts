/** The notices in the app that tests look for. */
import type { NoticeData, NoticeKind } from '@roz/core/notices.ts'
import { type Queryable, sql } from '../db/sql.ts'

type Told = { readonly memberId: bigint; readonly kind: NoticeKind; readonly data: NoticeData }

/** All notices, the oldest first. */
export const allNotices = (from: Queryable): Promise<Told[]> =>
  from.query<Told>(sql`select member_id as "memberId", kind, data from notice order by id`)

export const noticesTo = async (from: Queryable, memberId: bigint): Promise<Told[]> =>
  (await allNotices(from)).filter((notice) => notice.memberId === memberId)
