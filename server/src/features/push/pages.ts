/** Devices are told in pages of a hundred ids, each page a job of its own. */
import { type Db, sql } from '../../db/sql.ts'
import type { JobKind } from '../../jobs/queue.ts'

const PAGE = 100

type Pages = { readonly kind: JobKind; readonly key: string; readonly payload: Readonly<Record<string, string>> }

/** Cuts pages by id, so that a repeated cut gives the same pages. */
export async function cutPages(db: Db, { kind, key, payload }: Pages): Promise<void> {
  await db.query(sql`
    insert into job (kind, key, payload, due_at)
    select ${kind}::text, ${key}::text || ':' || page,
           ${JSON.stringify(payload)}::jsonb || jsonb_build_object('from', (page * ${PAGE}::int)::text, 'to', (page * ${PAGE}::int + ${PAGE}::int - 1)::text), roz_now()
      from (select distinct id / ${PAGE}::int as page from push_device) pages order by page
    on conflict (kind, key) do nothing`)
}
