/** The rules of an impact story, as the portal writes it. */
import * as z from 'zod/mini'
import { texts, type Words } from './field-words.ts'
import { youtubeId } from './youtube.ts'

export const STORY_TEXTS = {
  title_required: texts('Title is required', 'शीर्षक ज़रूरी है'),
  title_long: texts('Title must be at most 200 characters', 'शीर्षक ज़्यादा से ज़्यादा 200 अक्षरों का हो सकता है'),
  description_required: texts('Description is required', 'विवरण ज़रूरी है'),
  description_long: texts('Description must be at most 5,000 characters', 'विवरण ज़्यादा से ज़्यादा 5,000 अक्षरों का हो सकता है'),
  charity_required: texts('Charity name is required', 'संस्था का नाम ज़रूरी है'),
  charity_long: texts('Charity name must be at most 200 characters', 'संस्था का नाम ज़्यादा से ज़्यादा 200 अक्षरों का हो सकता है'),
  charity_description_required: texts('Charity description is required', 'संस्था का विवरण ज़रूरी है'),
  video_invalid: texts('Invalid YouTube URL', 'YouTube लिंक सही नहीं है'),
  video_not_url: texts('Please enter a valid URL', 'कृपया सही लिंक लिखें'),
} as const satisfies Words

const text = (problem: keyof typeof STORY_TEXTS) => z.string(problem)
const code = (problem: keyof typeof STORY_TEXTS) => ({ error: problem })

export const storyTitle = text('title_required').check(
  z.trim(),
  z.minLength(1, code('title_required')),
  z.maxLength(200, code('title_long')),
)
export const storyDescription = text('description_required').check(
  z.trim(),
  z.minLength(1, code('description_required')),
  z.maxLength(5000, code('description_long')),
)
export const charityName = text('charity_required').check(
  z.trim(),
  z.minLength(1, code('charity_required')),
  z.maxLength(200, code('charity_long')),
)
export const charityDescription = text('charity_description_required').check(
  z.trim(),
  z.minLength(1, code('charity_description_required')),
  z.maxLength(5000, code('description_long')),
)
/** Empty means no video; anything else must be a URL, and one that YouTube serves. */
export const videoUrl = text('video_not_url').check(
  z.trim(),
  z.maxLength(500, code('video_not_url')),
  z.refine((value) => value === '' || URL.canParse(value), code('video_not_url')),
  z.refine((value) => value === '' || !URL.canParse(value) || youtubeId(value) !== undefined, code('video_invalid')),
)
