/**
 * Runs first, while the program is still loading.
 * - Requests the account and the catalogue early.
 * - Warms up Intl, which takes 100 ms on a slow phone. A task of its own lets the phone respond to input before it.
 */
import { formatRupees } from '@roz/core/numbers.ts'
import { askWhoIsHere } from './first-answer.ts'
import { tellLost } from './load-failure.ts'
import { words } from 'virtual:words/app'
import { firstLanguage } from './first-language.ts'

askWhoIsHere()
// The program requests it again after a failure, and reports the failure.
void words[firstLanguage()]().catch(() => undefined)
import('../main.tsx').catch(tellLost)
setTimeout(() => formatRupees(0))
