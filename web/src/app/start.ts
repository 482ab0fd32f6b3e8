/**
 * What the page runs first, while the program itself is still on its way: it asks who is here and for the
 * words of their language, and has the browser make up its mind about numbers and days, for which the
 * first time takes a slow phone a tenth of a second: that has a turn of its own, so that the phone answers before it.
 */
import { askWhoIsHere } from './first-answer.ts'
import { tellLost } from './load-failure.ts'
import { firstLanguage, WORDS } from './catalogues.ts'

askWhoIsHere()
// What fails here is asked for again, and told, by the program.
void WORDS[firstLanguage()]().catch(() => undefined)
import('../main.tsx').catch(tellLost)
setTimeout(() => new Intl.NumberFormat('en-IN').format(0))
