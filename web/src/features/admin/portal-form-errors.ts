/** The error messages of the portal's forms, and the fields that show them. */
import { ANNOUNCEMENT_TEXTS } from '@roz/core/announcement-fields.ts'
import { ARRIVAL_TEXTS } from '@roz/core/arrival-fields.ts'
import { CASE_TEXTS } from '@roz/core/case-fields.ts'
import { CARE_TEXTS } from '@roz/core/care-fields.ts'
import { FOLLOW_UP_TEXTS } from '@roz/core/follow-up-fields.ts'
import { HELP_TEXTS } from '@roz/core/help-fields.ts'
import { MONEY_TEXTS } from '@roz/core/money-fields.ts'
import { PERSON_TEXTS } from '@roz/core/person-fields.ts'
import { PUBLIC_TEXTS } from '@roz/core/public-words.ts'
import { REFERENCE_TEXTS } from '@roz/core/reference-fields.ts'
import { SITE_TEXTS } from '@roz/core/site-fields.ts'
import { STAFF_TEXTS } from '@roz/core/staff-fields.ts'
import { STATEMENT_TEXTS } from '@roz/core/statement-fields.ts'
import { STORY_TEXTS } from '@roz/core/story-fields.ts'
import { TAX_TEXTS } from '@roz/core/tax-fields.ts'
import { wordsFrom } from '../forms.ts'

export const portalError = wordsFrom(
  ANNOUNCEMENT_TEXTS,
  PERSON_TEXTS,
  MONEY_TEXTS,
  REFERENCE_TEXTS,
  STORY_TEXTS,
  HELP_TEXTS,
  CARE_TEXTS,
  CASE_TEXTS,
  ARRIVAL_TEXTS,
  FOLLOW_UP_TEXTS,
  SITE_TEXTS,
  STAFF_TEXTS,
  PUBLIC_TEXTS,
  TAX_TEXTS,
  STATEMENT_TEXTS,
)

/** What a field of text needs beside its label: its value, its problem, and what typing does. */
export const typed = (value: string, problem: string | undefined, onType: (text: string) => void) => ({
  value,
  error: portalError(problem),
  onChange: ({ target }: { readonly target: { readonly value: string } }) => onType(target.value),
})
