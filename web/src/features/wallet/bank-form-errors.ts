/** The error messages of forms about money with a bank account. */
import { BANK_TEXTS } from '@roz/core/bank-fields.ts'
import { MONEY_TEXTS } from '@roz/core/money-fields.ts'
import { wordsFrom } from '../forms.ts'

export const bankError = wordsFrom(MONEY_TEXTS, BANK_TEXTS)
