/** Where the server's complaints about a story belong in the dialog: the charity's fields are nested there, flat here. */
import type { UseFormReturn } from 'react-hook-form'
import { ApiError } from '../../api.ts'
import type { StoryValues } from './StoryDialog.tsx'

const PLACES: Readonly<Record<string, keyof StoryValues | undefined>> = {
  title: 'title',
  description: 'description',
  charity: 'charityName',
  'charity.name': 'charityName',
  'charity.description': 'charityDescription',
  videoUrl: 'videoUrl',
}

export function showRefusedStory(form: UseFormReturn<StoryValues>, error: unknown): void {
  if (!(error instanceof ApiError)) return
  for (const [path, message] of Object.entries(error.fields)) {
    const place = PLACES[path]
    if (place !== undefined) form.setError(place, { message })
  }
}
