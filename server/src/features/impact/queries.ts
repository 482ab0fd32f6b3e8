/**
 * Stories in SQL.
 *
 * - Public queries read only active stories.
 * - The winner's name is joined when a story is read, never stored.
 * - Lists page by the whole sort key: newest publication first, drafts by creation.
 */
import type { StoryState } from '@roz/contract/impact.ts'
import type { IstDay } from '@roz/core/ist-day.ts'
import type { Language, StoredTexts } from '@roz/core/language.ts'
import type { Paise } from '@roz/core/money.ts'
import type { PublicName } from '@roz/core/names.ts'
import type { Translations } from '@roz/core/story-words.ts'
import { type Queryable, type Sql, sql } from '../../db/sql.ts'
import type { Cursor } from '../../lists/cursor.ts'
import { microsOf, olderThan } from '../../lists/newest-first.ts'
import { isResting } from '../../jobs/parking.ts'
import { isLateStory, lacksLanguage } from '../../members/late-stories.ts'
import { contains } from '../../members/member-search.ts'
import { daysOf } from '../../members/own-stories.ts'
import { firstTaxSql, isDemoSql, otherWinnersSql } from '../../ledger/rounds.ts'
import { assuranceSql } from '../../transparency-log/checkpoints.ts'

/** Scheduled drafts published in one go. */
const DUE_AT_ONCE = 20

export type StoryRow = {
  readonly id: string
  readonly day: IstDay
  readonly title: string
  readonly description: string
  readonly charityName: string
  readonly charityDescription: string
  /** The language of these words; `translations` has the others. */
  readonly writtenIn: Language
  readonly translations: Translations
  readonly amountPaise: Paise
  /** The need share of the round; the draft's words name it. */
  readonly setAsidePaise: Paise
  /** The amount left the help fund for somebody. */
  readonly isSent: boolean
  readonly videoUrl: string | null
  readonly imageUrl: string | null
  readonly views: bigint
  readonly isActive: boolean
  readonly participants: bigint
  readonly winnerAmountPaise: Paise | null
  readonly assurance: 'weak' | 'sealed' | null
  readonly isDemo: boolean
  readonly others: number
  readonly winnerTax: Paise
  readonly winnerName: string | null
  readonly winnerPublicName: PublicName | null
  readonly winnerIsDeleted: boolean
  readonly publishAt: Date | null
  readonly outlayId: string | null
  readonly followUps: readonly {
    readonly weeks: number
    readonly words: string
    readonly language: Language
    readonly retoldBy: string | null
    readonly translations: Partial<Record<Language, string>>
    readonly id: string
    readonly picture: { readonly hash: string; readonly width: number; readonly height: number } | null
  }[]
  /** The sort key: microseconds since 1970 of the publication, or of a draft's creation. */
  readonly sortedAt: string
}

/** A story as the team sees it. */
export type PortalRow = StoryRow & {
  readonly wasPublished: boolean
  readonly isTold: boolean
  /** Of the help; null without one. */
  readonly purpose: string | null
  readonly purposeIn: Language | null
  readonly purposeTranslations: StoredTexts | null
  readonly helped: string | null
  readonly days: number | null
  readonly givers: bigint | null
}

const listedAt = sql`(case when s.is_active then s.published_at else s.created_at end)`

const columns = sql`
  s.id, s.day, s.title, s.description, s.charity_name as "charityName", s.charity_description as "charityDescription",
  s.written_in as "writtenIn", s.translations,
  coalesce(sent.paise, s.amount_paise) as "amountPaise", s.amount_paise as "setAsidePaise", coalesce(sent.paise, 0) > 0 as "isSent", s.publish_at as "publishAt", s.outlay_id as "outlayId",
  s.video_url as "videoUrl", s.image_url as "imageUrl", s.views, s.is_active as "isActive",
  s.participants, s.winner_amount_paise as "winnerAmountPaise",
  case when s.round_day is null then s.assurance else ${assuranceSql(sql`s.round_day`)} end as assurance,
  ${isDemoSql(sql`s.round_day`)} as "isDemo", ${otherWinnersSql(sql`s.round_day`)} as others, ${firstTaxSql(sql`s.round_day`)} as "winnerTax",
  m.name as "winnerName", m.public_name as "winnerPublicName", m.deleted_at is not null as "winnerIsDeleted",
  (select coalesce(json_agg(json_build_object('weeks', f.weeks, 'words', f.words, 'language', f.written_in, 'retoldBy', f.retold_by,
            'translations', f.translations, 'id', f.id,
            'picture', case when p.hash is not null then json_build_object('hash', encode(p.hash, 'hex'), 'width', p.width, 'height', p.height) end)
            order by f.weeks), '[]')
     from follow_up f left join follow_up_picture p on p.follow_up_id = f.id join outlay fo on fo.id = f.outlay_id join beneficiary fb on fb.id = fo.beneficiary_id
    where f.outlay_id = s.outlay_id and f.withheld is null and fb.revoked_at is null and fb.follow_up_on is not null) as "followUps",
  ${microsOf(listedAt)} as "sortedAt"`
// A story of a disbursement shows what was sent, less what came back.
const from = sql`from story s left join member m on m.id = s.winner_member_id
  left join lateral (
    select (o.amount_paise - coalesce((select sum(back.amount_paise) from outlay back where back.corrects = o.id and back.status = 'booked'), 0))::bigint as paise
      from outlay o where o.id = s.outlay_id and o.status = 'booked') sent on true`

const isTold = sql`exists (select from story_telling told where told.story_id = s.id) as "isTold"`

const portalRows = sql`
  select ${columns}, s.published_at is not null as "wasPublished",
    ${isTold}, helped.purpose, helped.written_in as "purposeIn", helped.translations as "purposeTranslations", b.public_name as helped, given.days, given.givers
  ${from} left join outlay helped on helped.id = s.outlay_id left join beneficiary b on b.id = helped.beneficiary_id
  left join lateral (
    select count(*)::int as days, coalesce(sum(r.entries), 0)::bigint as givers
      from ${daysOf(sql`s.outlay_id::text`)} d join round r on r.day = d.day) given on s.outlay_id is not null`

/** Published stories, newest publication first; one row more than `limit` when there is a next page. */
export function listPublished(db: Queryable, page: { readonly after: Cursor | undefined; readonly limit: number }): Promise<StoryRow[]> {
  return db.query<StoryRow>(sql`
    select ${columns} ${from} where s.is_active and ${olderThan({ at: sql`s.published_at`, id: sql`s.id` }, page.after)}
    order by s.published_at desc, s.id desc limit ${page.limit + 1}::int`)
}

/** Every text in every language, and what the helped person said later. A withheld answer is not found. */
const WORDS = sql`
  concat_ws(chr(10), s.title, s.description, s.charity_name, s.charity_description,
    (select string_agg(t.value, chr(10)) from jsonb_each(s.translations) each cross join jsonb_each_text(each.value) t),
    (select string_agg(concat_ws(chr(10), f.words, (select string_agg(t.value, chr(10)) from jsonb_each_text(f.translations) t)), chr(10))
       from follow_up f where f.outlay_id = s.outlay_id and f.withheld is null))`

const IN_STATE = {
  unpublished: sql`not s.is_active`,
  late: isLateStory(sql`s`),
  scheduled: sql`not s.is_active and s.publish_at is not null`,
  published: sql`s.is_active`,
  lacks_language: lacksLanguage(sql`s`),
} as const satisfies Record<StoryState, Sql>

type AllPage = {
  readonly after: Cursor | undefined
  readonly limit: number
  /** The one with this id. */
  readonly only: string | undefined
  readonly status: StoryState | undefined
  /** Words in any language. */
  readonly q: string | undefined
}
/** All stories, newest first: published ones by publication, drafts by creation. */
export function listAll(db: Queryable, page: AllPage): Promise<PortalRow[]> {
  return db.query<PortalRow>(sql`
    ${portalRows} where ${olderThan({ at: listedAt, id: sql`s.id` }, page.after)} and ${page.only === undefined ? sql`true` : sql`s.id = ${page.only}::uuid`}
      and ${page.status === undefined ? sql`true` : IN_STATE[page.status]} and ${contains(page.q, WORDS)}
    order by ${listedAt} desc, s.id desc limit ${page.limit + 1}::int`)
}

export const findPublished = (db: Queryable, id: string): Promise<StoryRow | undefined> =>
  db.maybeOne<StoryRow>(sql`select ${columns} ${from} where s.id = ${id}::uuid and s.is_active`)

export async function findPublishedAmong(db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await db.query<{ id: string }>(sql`select id from story where id = any (${[...ids]}::uuid[]) and is_active`)
  return new Set(found.map(({ id }) => id))
}

export async function getStory(db: Queryable, id: string): Promise<PortalRow> {
  const [row] = await db.query<PortalRow>(sql`${portalRows} where s.id = ${id}::uuid`)
  if (row === undefined) throw new Error(`story ${id} is missing`)
  return row
}

/** The story after an edit, which notes the languages that it lacks. */
export async function getEdited(tx: Queryable, id: string, missing: (row: PortalRow) => readonly Language[]): Promise<PortalRow> {
  const row = await getStory(tx, id)
  await tx.query(sql`update story set lacks = ${missing(row)}::text[] where id = ${id}::uuid`)
  return row
}

/** The fields that an edit may change. */
export type StoryContent = {
  readonly title: string
  readonly description: string
  readonly charityName: string
  readonly charityDescription: string
  readonly writtenIn: Language
  readonly translations: Translations
  readonly videoUrl: string | null
  readonly imageUrl: string | null
  readonly isActive: boolean
  /** Only a draft has one. */
  readonly publishAt: Date | null
  readonly outlayId: string | null
}

export type LockedStory = StoryContent & {
  readonly isTold: boolean
  readonly wasPublished: boolean
  /** A person whom it ever named has revoked the consent. */
  readonly isRevoked: boolean
}

/** The editable fields under the row's lock, so that concurrent edits follow each other. */
export async function lockStory(tx: Queryable, id: string): Promise<LockedStory | undefined> {
  await tx.query(sql`select from story where id = ${id}::uuid for update`)
  // A statement of its own: it sees the telling of a publication that the lock above waited for.
  return tx.maybeOne<LockedStory>(sql`
    select s.title, s.description, s.charity_name as "charityName", s.charity_description as "charityDescription",
      s.written_in as "writtenIn", s.translations,
      s.video_url as "videoUrl", s.image_url as "imageUrl", s.is_active as "isActive",
      s.publish_at as "publishAt", s.outlay_id as "outlayId", ${isTold},
      s.published_at is not null as "wasPublished", ${tellsOfRevoked(sql`s.id`)} as "isRevoked"
    from story s where s.id = ${id}::uuid`)
}

/** Writes an edit. A story that becomes active is published now; a story that was active keeps its place in the list. */
export async function updateStory(tx: Queryable, id: string, content: StoryContent): Promise<void> {
  await tx.query(sql`
    update story set title = ${content.title}::text, description = ${content.description}::text,
      charity_name = ${content.charityName}::text, charity_description = ${content.charityDescription}::text,
      written_in = ${content.writtenIn}::text, translations = ${JSON.stringify(content.translations)}::jsonb,
      video_url = ${content.videoUrl}::text, image_url = ${content.imageUrl}::text, is_active = ${content.isActive}::boolean,
      publish_at = ${content.publishAt}::timestamptz, outlay_id = ${content.outlayId}::uuid,
      published_at = case when ${content.isActive}::boolean and not is_active then roz_now() else published_at end
    where id = ${id}::uuid`)
}

/** Inserts a draft written by hand, dated today. */
export async function insertByHand(tx: Queryable, id: string, content: StoryContent): Promise<void> {
  await tx.query(sql`
    insert into story (id, day, title, description, charity_name, charity_description, written_in, translations, video_url, outlay_id)
    values (${id}::uuid, ist_day(roz_now()), ${content.title}::text, ${content.description}::text,
      ${content.charityName}::text, ${content.charityDescription}::text, ${content.writtenIn}::text, ${JSON.stringify(content.translations)}::jsonb,
      ${content.videoUrl}::text, ${content.outlayId}::uuid)`)
}

/** False if the story is or was published. The caller has locked it. */
export const deleteDraft = async (tx: Queryable, id: string): Promise<boolean> =>
  (await tx.query(sql`delete from story where id = ${id}::uuid and published_at is null returning id`)).length > 0

/** Why a story may not tell of this disbursement. The locks last until the commit: of two editors one links it, and a revocation waits. */
export async function judgeOutlay(
  tx: Queryable,
  storyId: string,
  outlayId: string,
): Promise<'disbursement_not_found' | 'story_exists' | 'consent_revoked' | undefined> {
  const [found] = await tx.query<{ isRevoked: boolean }>(sql`
    select b.revoked_at is not null as "isRevoked" from outlay o join beneficiary b on b.id = o.beneficiary_id
    where o.id = ${outlayId}::uuid and o.kind = 'disbursement' and o.status = 'booked' for no key update of o for share of b`)
  if (found === undefined) return 'disbursement_not_found'
  if (found.isRevoked) return 'consent_revoked'
  // A separate statement: it sees the link of an editor for whom the lock above waited.
  const told = await tx.query(sql`select 1 from story where outlay_id = ${outlayId}::uuid and id <> ${storyId}::uuid`)
  return told.length > 0 ? 'story_exists' : undefined
}

/** Whether a story ever told of somebody who has revoked the consent since. */
export const tellsOfRevoked = (storyId: Sql): Sql => sql`
  exists (select from story_subject t join beneficiary b on b.id = t.beneficiary_id where t.story_id = ${storyId} and b.revoked_at is not null)`

/** Whether the words of this story may be public: no person whom it ever named has revoked the consent. A revocation waits for the commit. */
export async function hasConsent(tx: Queryable, storyId: string): Promise<boolean> {
  await tx.query(sql`
    select from beneficiary where id in (select beneficiary_id from story_subject where story_id = ${storyId}::uuid) order by id for share`)
  const [row] = await tx.query<{ isRevoked: boolean }>(sql`select ${tellsOfRevoked(sql`${storyId}::uuid`)} as "isRevoked"`)
  return row?.isRevoked === false
}

const IS_DUE = sql`publish_at <= (select roz_now()) and not is_active and not ${tellsOfRevoked(sql`story.id`)}`

/** Drafts whose time has come, the earliest first. */
export async function listDue(from: Queryable): Promise<readonly string[]> {
  const due = await from.query<{ id: string }>(sql`
    select id from story where ${IS_DUE} and not ${isResting('story', sql`story.id::text`)} order by publish_at, id limit ${DUE_AT_ONCE}::int`)
  return due.map(({ id }) => id)
}

/** Publishes a scheduled draft; undefined if it is not due, or another process publishes it. */
export async function publishScheduled(tx: Queryable, id: string): Promise<{ readonly publishAt: Date } | undefined> {
  const [row] = await tx.query<{ publishAt: Date }>(sql`
    update story set is_active = true, published_at = roz_now(), publish_at = null
    where id = (select id from story where id = ${id}::uuid and ${IS_DUE} for update skip locked)
    returning old.publish_at as "publishAt"`)
  return row
}
