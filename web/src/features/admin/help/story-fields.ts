/** The fields of the story dialog. The charity's fields are nested in the call and flat in the form. */
import { charityDescription, charityName, storyDescription, storyTitle, videoUrl } from '@roz/core/story-fields.ts'
import type { PortalStory } from '@roz/contract/impact.ts'
import type { UseFormReturn } from 'react-hook-form'
import * as z from 'zod/mini'
import { ApiError } from '../../../app/api.ts'

export const storyRules = z.object({ title: storyTitle, description: storyDescription, charityName, charityDescription, videoUrl })
export type StoryValues = z.infer<typeof storyRules>

export const valuesOf = (story: PortalStory | undefined): StoryValues => ({
  title: story?.title ?? '',
  description: story?.description ?? '',
  charityName: story?.charity.name ?? '',
  charityDescription: story?.charity.description ?? '',
  videoUrl: story?.videoUrl ?? '',
})

export const bodyOf = ({ title, description, charityName: name, charityDescription: about, videoUrl: video }: StoryValues) => ({
  title,
  description,
  charity: { name, description: about },
  videoUrl: video === '' ? null : video,
})

/** The fields that differ from the story as the form found it. The charity is one field. */
export function changesOf(story: PortalStory, values: StoryValues) {
  const [before, { title, description, charity, videoUrl: video }] = [bodyOf(valuesOf(story)), bodyOf(values)]
  const isSameCharity = charity.name === before.charity.name && charity.description === before.charity.description
  return {
    ...(title === before.title ? {} : { title }),
    ...(description === before.description ? {} : { description }),
    ...(isSameCharity ? {} : { charity }),
    ...(video === before.videoUrl ? {} : { videoUrl: video }),
  }
}

/** The state by which the screens say whom a publication or a link tells. The server refuses both if it has changed since. */
export const seenOf = ({ outlayId, isActive, isTold }: PortalStory) => ({ outlayId, isActive, isTold })

const PLACES: Readonly<Record<string, keyof StoryValues | undefined>> = {
  title: 'title',
  description: 'description',
  charity: 'charityName',
  'charity.name': 'charityName',
  'charity.description': 'charityDescription',
  videoUrl: 'videoUrl',
}

/** Shows each refusal of the server at its field. */
export function showRefusedStory(form: UseFormReturn<StoryValues>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  for (const [path, message] of Object.entries(error.fields)) {
    const place = PLACES[path]
    if (place !== undefined) form.setError(place, { message })
  }
}
