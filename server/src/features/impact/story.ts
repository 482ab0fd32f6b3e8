/** A story as the API shows it. */
import type { PortalStory, Story } from '@roz/contract/impact.ts'
import { wordsFor } from '@roz/core/draft-words.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { publicNameOf } from '@roz/core/names.ts'
import type { PortalRow, StoryRow } from './queries.ts'

/** The charity's name until one is chosen; screens show Pending for it. */
export const PENDING_CHARITY = 'Pending Charity Selection'

export const storyOf =
  (language: Language) =>
  (row: StoryRow): Story => {
    const { title, description, charityDescription } = wordsFor(row, { ...row, need: row.setAsidePaise }, language)
    return {
      id: row.id,
      _id: row.id,
      title,
      description,
      date: row.day,
      amount: rupeesFromPaise(row.amountPaise),
      sent: row.isSent,
      views: Number(row.views),
      isActive: row.isActive,
      videoUrl: row.videoUrl,
      imageUrl: row.imageUrl,
      charity: { name: row.charityName, description: charityDescription },
      winnerInfo: winnerOf(row, language),
    }
  }

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
    isDemo: row.isDemo,
    others: row.others,
    tax: rupeesFromPaise(row.winnerTax),
  }
}
