/** A story as the API shows it. */
import type { PortalStory, Story } from '@roz/contract/impact.ts'
import { isoIst } from '@roz/core/ist-day.ts'
import type { Language } from '@roz/core/language.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import { publicNameOf } from '@roz/core/names.ts'
import { purposeFor } from '@roz/core/purpose-words.ts'
import { missingIn, translationsOf, wordsFor } from '@roz/core/story-words.ts'
import type { PortalRow, StoryRow } from './queries.ts'

/** The round of a story, whose figures its draft names. */
const roundOf = (row: StoryRow) => ({ ...row, need: row.setAsidePaise })

export const missingOf = (row: StoryRow): readonly Language[] => missingIn(row, roundOf(row))

export const storyOf =
  (language: Language) =>
  (row: StoryRow): Story => {
    const { words, languages } = wordsFor(row, roundOf(row), language)
    return {
      id: row.id,
      _id: row.id,
      title: words.title,
      description: words.description,
      date: row.day,
      amount: rupeesFromPaise(row.amountPaise),
      sent: row.isSent,
      views: Number(row.views),
      isActive: row.isActive,
      videoUrl: row.videoUrl,
      imageUrl: row.imageUrl,
      charity: { name: words.charityName, description: words.charityDescription },
      languages,
      followUps: row.followUps.map(({ translations, id, picture, ...told }) => ({
        ...told,
        translation: told.language === language ? null : (translations[language] ?? null),
        picture: picture && { url: `/api/follow-ups/${id}/pictures/${picture.hash}`, width: picture.width, height: picture.height },
      })),
      winnerInfo: winnerOf(row, language),
    }
  }

/** The words as they were written: what the portal sends back changes nothing. */
export const portalStoryOf =
  (language: Language) =>
  (row: PortalRow): PortalStory => ({
    ...storyOf(language)(row),
    title: row.title,
    description: row.description,
    charity: { name: row.charityName, description: row.charityDescription },
    language: row.writtenIn,
    translations: translationsOf(row, roundOf(row)),
    publishAt: row.publishAt === null ? null : isoIst(row.publishAt.getTime()),
    outlayId: row.outlayId,
    help:
      row.outlayId === null
        ? null
        : { purpose: purposeOf(row, language), publicName: row.helped ?? '', days: row.days ?? 0, givers: Number(row.givers ?? 0n) },
    isTold: row.isTold,
    wasPublished: row.wasPublished,
  })

const purposeOf = ({ purpose, purposeIn, purposeTranslations }: PortalRow, reader: Language): string =>
  purposeFor({ purpose: purpose ?? '', language: purposeIn, translations: purposeTranslations ?? {} }, reader).purpose

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
