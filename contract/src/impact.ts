/** Calls of impact stories and the member's impact figures. */
import { charityDescription, charityName, storyDescription, storyTitle, videoUrl } from '@roz/core/story-fields.ts'
import { inEach, LANGUAGES } from '@roz/core/language.ts'
import { STORY_WORDS } from '@roz/core/story-words.ts'
import { z } from 'zod'
import { endpoint, staffCall } from './endpoint.ts'
import { EDITORS, STAFF } from './roles.ts'
import { count, day, drawn, instant, newer, nextCursor, page, rupees } from './shapes.ts'

const language = z.enum(LANGUAGES, 'choice_invalid')
/** The language of each text of a story in this answer. One that is not named is in the reader's. */
const languages = newer(z.partialRecord(z.enum(STORY_WORDS), language), { absent: {} })

export const story = z.object({
  id: newer(z.string(), { like: '_id' }),
  _id: newer(z.string(), { like: 'id' }),
  title: z.string(),
  description: z.string(),
  date: day,
  amount: rupees,
  sent: newer(z.boolean().meta({ description: 'The amount was paid out and has bills; false: it is set aside' }), { absent: false }),
  views: count,
  isActive: z.boolean(),
  videoUrl: z.string().nullable(),
  imageUrl: z.string().nullable(),
  charity: z.object({ name: z.string(), description: z.string() }),
  languages,
  followUps: newer(
    z
      .array(
        z.object({
          weeks: count,
          words: z.string(),
          language,
          retoldBy: z.string().nullable().meta({ description: 'null: word for word' }),
          translation: z
            .string()
            .nullable()
            .meta({ description: "The words in the reader's language, by the team; null: none, or not needed" }),
          picture: z
            .object({ url: z.string(), width: count, height: count })
            .nullable()
            .meta({ description: 'What the person showed; caches ask each time, because it can be taken back' }),
        }),
      )
      .meta({ description: 'What the helped person said weeks after the help arrived' }),
    { absent: [] },
  ),
  winnerInfo: z.object({ name: z.string(), amount: rupees, totalParticipants: count, ...drawn }).nullable(),
})
export type Story = z.infer<typeof story>

/** A story as the portal shows it. */
const portalStory = z.object({
  ...story.shape,
  language: newer(language.meta({ description: 'The language of title, description and charity' })),
  translations: newer(
    z
      .partialRecord(language, z.partialRecord(z.enum(STORY_WORDS), z.string()))
      .meta({ description: 'The same texts in other languages, those of a draft included' }),
    { absent: {} },
  ),
  publishAt: instant.nullable().meta({ description: 'A draft becomes public at this time; null: not scheduled' }),
  outlayId: z.string().nullable().meta({ description: 'The disbursement that the story tells of' }),
  help: z
    .object({
      purpose: z.string().meta({ description: "In the viewer's language, if it has one in it" }),
      publicName: z.string(),
      days: count.meta({ description: 'Days whose help it took' }),
      givers: count.meta({ description: 'Members of these days; a member of several of them is counted for each' }),
    })
    .nullable()
    .meta({ description: 'That disbursement' }),
  isTold: newer(z.boolean().meta({ description: 'Its givers were told. They are told once' }), { absent: false }),
  wasPublished: newer(z.boolean().meta({ description: 'It is or was public, and cannot be deleted' }), { like: 'isActive' }),
})
export type PortalStory = z.infer<typeof portalStory>

const storyState = z.enum(['unpublished', 'late', 'scheduled', 'published', 'lacks_language'], 'choice_invalid').meta({
  description:
    'unpublished: drafts, scheduled or not; late: of these, what was promised for an hour that has passed and no other story tells; lacks_language: public or scheduled ones with a text that a language lacks',
})
export type StoryState = z.infer<typeof storyState>

const charity = z.strictObject({ name: charityName, description: charityDescription }, 'charity_required')
const translation = z.strictObject({
  title: z.optional(storyTitle),
  description: z.optional(storyDescription),
  charityName: z.optional(charityName),
  charityDescription: z.optional(charityDescription),
})
const written = {
  language: language.optional().meta({ description: 'The language of title, description and charity; English if it was never set' }),
  translations: z
    .strictObject(inEach(() => translation.optional()))
    .optional()
    .meta({ description: 'The texts in other languages, all at once: a missing one is removed' }),
}
const outlayId = z.uuid('wrong_type').nullable().optional()
/** The editor's view of these fields; a difference is refused with `changed_since_seen`. */
const seen = z
  .strictObject({ outlayId: z.uuid('wrong_type').nullable(), isActive: z.boolean('wrong_type'), isTold: z.boolean('wrong_type') })
  .optional()
  .meta({ description: 'These fields as the editor saw them; if one has changed since, the edit is refused' })
/** A story's own uploaded picture, as an edit may send it back. */
const POSTER = /^\/uploads\/posters\/[0-9a-f]{32}\.webp$/
/** Fields of a story that an edit may send back and that it does not change. */
const readOnly = {
  id: z.unknown().optional(),
  _id: z.unknown().optional(),
  date: z.unknown().optional(),
  amount: z.unknown().optional(),
  sent: z.unknown().optional(),
  languages: z.unknown().optional(),
  followUps: z.unknown().optional(),
  views: z.unknown().optional(),
  winnerInfo: z.unknown().optional(),
  help: z.unknown().optional(),
  isTold: z.unknown().optional(),
  wasPublished: z.unknown().optional(),
}

const mute = z.object({ isGiver: z.boolean(), muted: z.boolean() })

export const impactCalls = {
  stories: endpoint('GET /impact/stories', {
    access: 'visitor',
    summary: 'Published stories, newest publication first.',
    query: page,
    output: z.object({ stories: z.array(story), nextCursor }),
    refusals: [],
    cache: 'named',
  }),
  viewStory: endpoint('POST /impact/stories/{id}/view', {
    access: 'visitor',
    summary: 'Counts a view, once per visitor and day.',
    params: z.object({ id: z.string().max(100) }),
    output: z.object({ views: count }),
    refusals: ['story_not_found'],
  }),
  storyMute: endpoint('GET /impact/stories/{id}/mute', {
    access: 'member',
    summary: "Whether the member's rupee is in this story, and whether the member has muted it.",
    params: z.object({ id: z.string().max(100) }),
    output: mute,
    refusals: [],
  }),
  muteStory: endpoint('PUT /impact/stories/{id}/mute', {
    access: 'member',
    summary: 'Mutes a story that has a rupee of the member, or ends the mute. A muted story sends no notice, push message or mail.',
    params: z.object({ id: z.string().max(100) }),
    body: z.strictObject({ muted: z.boolean('wrong_type') }),
    output: mute,
    refusals: ['story_not_found'],
  }),
  impactStats: endpoint('GET /impact/stats', {
    access: 'member',
    summary: 'Rupees contributed, charities of published stories whose help these rupees were in, and the number of rounds joined.',
    output: z.object({ totalDonated: rupees, charitiesSupported: count, daysActive: count }),
    refusals: [],
  }),
  storiesAdmin: staffCall('GET /impact/stories-admin', {
    roles: STAFF,
    summary: 'All stories, drafts included, newest first, or the one with this id; q searches the words in every language, follow-ups too.',
    query: z.object({
      ...page.shape,
      id: z.uuid('wrong_type').optional(),
      status: storyState.optional(),
      q: z.string().max(200).optional(),
    }),
    output: z.object({ stories: z.array(portalStory), nextCursor }),
    refusals: [],
  }),
  createStory: staffCall('POST /impact/stories', {
    roles: EDITORS,
    summary: 'Makes a draft dated today; with `outlayId` it tells of that disbursement.',
    body: z.strictObject({
      title: storyTitle,
      description: storyDescription,
      charity,
      ...written,
      videoUrl: z.optional(z.nullable(videoUrl)),
      outlayId,
    }),
    output: z.object({ story: portalStory }),
    refusals: ['disbursement_not_found', 'story_exists', 'consent_revoked'],
  }),
  updateStory: staffCall('PUT /impact/stories/{id}', {
    roles: EDITORS,
    summary:
      'Edits a story, publishes it ({isActive: true}), unpublishes it, or schedules it ({publishAt}; null ends the schedule). Read-only fields are ignored.',
    params: z.object({ id: z.string().max(100) }),
    body: z.strictObject({
      title: z.optional(storyTitle),
      description: z.optional(storyDescription),
      charity: charity.optional(),
      ...written,
      videoUrl: z.optional(z.nullable(videoUrl)),
      imageUrl: z.union([z.url('video_not_url'), z.string().regex(POSTER), z.literal(''), z.null()]).optional(),
      isActive: z.boolean('wrong_type').optional(),
      publishAt: z.iso.datetime({ offset: true, error: 'publish_at_invalid' }).nullable().optional(),
      outlayId,
      seen,
      ...readOnly,
    }),
    output: z.object({ story: newer(portalStory) }),
    refusals: ['story_not_found', 'changed_since_seen', 'disbursement_not_found', 'story_exists', 'story_told', 'consent_revoked'],
  }),
  deleteStory: staffCall('DELETE /impact/stories/{id}', {
    roles: EDITORS,
    summary: 'Deletes a draft that was never published, with its picture.',
    params: z.object({ id: z.string().max(100) }),
    output: 'empty',
    status: 204,
    refusals: ['story_not_found', 'story_was_published'],
  }),
  uploadPoster: staffCall('POST /impact/stories/{id}/poster', {
    roles: EDITORS,
    summary: "Sets the story's picture; it is stored again as WebP, without the file's metadata.",
    params: z.object({ id: z.string().max(100) }),
    upload: { field: 'file', bytesMax: 5 * 1024 * 1024 },
    output: z.object({ story: portalStory }),
    refusals: [
      'story_not_found',
      'consent_revoked',
      'avatar_not_image',
      'avatar_too_large',
      'picture_heic',
      'picture_pixels',
      'too_many_requests',
    ],
  }),
} as const
