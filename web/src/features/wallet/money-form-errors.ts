/** The error messages of forms about money without a bank account. */
import { MONEY_TEXTS } from '@roz/core/money-fields.ts'
import { PERSON_TEXTS } from '@roz/core/person-fields.ts'
import { wordsFrom } from '../forms.ts'

export const moneyError = wordsFrom(PERSON_TEXTS, MONEY_TEXTS)
