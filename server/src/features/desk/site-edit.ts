/**
 * The site's marketing figures and the How it works video, as an editor left them or as the settings say.
 * - An edit replaces all three under the row's lock and leaves a line in the staff log with the words before and after.
 * - Public pages read them with their figures, so an edit shows with the next request.
 */
import type { Output } from '@roz/contract/api.ts'
import type { deskCalls } from '@roz/contract/desk.ts'
import type { EditedSite } from '@roz/contract/public-pages.ts'
import { type Db, type Queryable, sql } from '../../db/sql.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { Handlers } from '../../http/route.ts'
import { logStaff } from '../../staff/staff-log.ts'

type View = Output<(typeof deskCalls)['adminSite']>
type Row = { readonly people: string | null; readonly contributors: string | null; readonly video: string | null }

const find = (from: Queryable, isLocked: boolean): Promise<Row> =>
  from.one<Row>(sql`select people, contributors, video from site_edit ${isLocked ? sql`for update` : sql``}`)

export function createSiteEdit({ db, settings }: { readonly db: Db; readonly settings: EditedSite }) {
  const viewOf = ({ people, contributors, video }: Row): View['site'] => ({
    people: people ?? settings.people,
    contributors: contributors ?? settings.contributors,
    howItWorksVideo: video ?? settings.howItWorksVideo ?? '',
  })
  const read = async (): Promise<EditedSite> => {
    const { howItWorksVideo, ...words } = viewOf(await find(db, false))
    return { ...words, howItWorksVideo: howItWorksVideo === '' ? undefined : howItWorksVideo }
  }
  const handlers: Handlers<'adminSite' | 'editSite'> = {
    adminSite: async () => ({ ok: true, value: { site: viewOf(await find(db, false)) } }),
    editSite: ({ session, body }) =>
      inTransaction(db, async (tx) => {
        const before = viewOf(await find(tx, true))
        const { people, contributors, howItWorksVideo: video } = body
        await tx.query(sql`update site_edit set people = ${people}::text, contributors = ${contributors}::text, video = ${video}::text`)
        const site = viewOf({ people, contributors, video })
        await logStaff(tx, { actorId: session.memberId, action: 'site.edit', subject: 'site', before, after: site })
        return { ok: true, value: { site } }
      }),
  }
  return { handlers, read }
}
