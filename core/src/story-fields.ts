/** Rules of the fields of an impact story, as the portal edits it. */
import * as z from 'zod/mini'
import type { Words } from './field-words.ts'
import { withoutContact } from './public-words.ts'
import { texts } from './texts.ts'
import { oneLine, severalLines } from './written.ts'
import { isUrl, youtubeId } from './youtube.ts'

export const STORY_TEXTS = {
  title_required: texts('Title is required'),
  title_long: texts('Title must be at most 200 characters'),
  description_required: texts('Description is required'),
  description_long: texts('Description must be at most 5,000 characters'),
  charity_required: texts('Charity name is required'),
  charity_long: texts('Charity name must be at most 200 characters'),
  charity_description_required: texts('Charity description is required'),
  video_invalid: texts('Invalid YouTube URL'),
  video_not_url: texts('Please enter a valid URL'),
  publish_at_invalid: texts('Choose a day and a time'),
  publish_at_past: texts('Choose a time in the future'),
  publish_at_published: texts('This story is already published'),
  picture_host: texts('Pictures may only come from sites that are set up for them'),
} as const satisfies Words

const text = (problem: keyof typeof STORY_TEXTS) => z.string(problem)
const code = (problem: keyof typeof STORY_TEXTS) => ({ error: problem })

export const storyTitle = text('title_required').check(
  oneLine,
  z.minLength(1, code('title_required')),
  z.maxLength(200, code('title_long')),
  withoutContact,
)
export const storyDescription = text('description_required').check(
  severalLines,
  z.minLength(1, code('description_required')),
  z.maxLength(5000, code('description_long')),
  withoutContact,
)
export const charityName = text('charity_required').check(
  oneLine,
  z.minLength(1, code('charity_required')),
  z.maxLength(200, code('charity_long')),
  withoutContact,
)
export const charityDescription = text('charity_description_required').check(
  severalLines,
  z.minLength(1, code('charity_description_required')),
  z.maxLength(5000, code('description_long')),
  withoutContact,
)
/** Empty means no video; any other value must be a YouTube URL. */
export const videoUrl = text('video_not_url').check(
  z.trim(),
  z.maxLength(500, code('video_not_url')),
  z.refine((value) => value === '' || isUrl(value), code('video_not_url')),
  z.refine((value) => value === '' || !isUrl(value) || youtubeId(value) !== undefined, code('video_invalid')),
)
