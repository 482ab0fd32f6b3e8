/** A story as the API shows it, and the words of a day's draft. */
import type { PortalStory, Story } from '@roz/contract/impact.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { formatPaise, type Paise, rupeesFromPaise } from '@roz/core/money.ts'
import { publicNameOf } from '@roz/core/names.ts'
import type { PortalRow, StoryRow } from './queries.ts'

/** The charity's name until one is chosen; screens show Pending for it. */
export const PENDING_CHARITY = 'Pending Charity Selection'

export const storyOf =
  (language: Language) =>
  (row: StoryRow): Story => ({
    id: row.id,
    _id: row.id,
    title: row.title,
    description: row.description,
    date: row.day,
    amount: rupeesFromPaise(row.amountPaise),
    sent: row.isSent,
    views: Number(row.views),
    isActive: row.isActive,
    videoUrl: row.videoUrl,
    imageUrl: row.imageUrl,
    charity: { name: row.charityName, description: row.charityDescription },
    winnerInfo: winnerOf(row, language),
  })

export const portalStoryOf =
  (language: Language) =>
  (row: PortalRow): PortalStory => ({
    ...storyOf(language)(row),
    publishAt: row.publishAt === null ? null : isoIst(row.publishAt.getTime()),
    outlayId: row.outlayId,
    help:
      row.outlayId === null
        ? null
        : { purpose: row.purpose ?? '', publicName: row.helped ?? '', days: row.days ?? 0, givers: Number(row.givers ?? 0n) },
    isTold: row.isTold,
    wasPublished: row.wasPublished,
  })

function winnerOf(row: StoryRow, language: Language): Story['winnerInfo'] {
  if (row.winnerAmountPaise === null || row.assurance === null) return null
  const winner = { name: row.winnerName ?? '', publicName: row.winnerPublicName ?? 'anonymous', isDeleted: row.winnerIsDeleted }
  return {
    name: publicNameOf(winner, language),
    amount: rupeesFromPaise(row.winnerAmountPaise),
    totalParticipants: Number(row.participants),
    assurance: row.assurance,
  }
}

const longDay = new Intl.DateTimeFormat('en-IN', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

/** The words an editor starts from; a story is written in one language, the editor's. */
export function draftWords(draft: { readonly day: string; readonly participants: bigint; readonly need: Paise }) {
  const day = longDay.format(new Date(`${draft.day}T00:00:00Z`))
  const people = draft.participants === 1n ? '1 member' : `${draft.participants.toLocaleString('en-IN')} members`
  return {
    title: `Daily impact of ${day}`,
    description: `${people} put one rupee each into the round of ${day}. ${formatPaise(draft.need)} of it goes directly to people in need.`,
    charityName: PENDING_CHARITY,
    charityDescription: 'The charity for this day has not been selected yet.',
  }
}
