/**
 * One rule for every text that people write: names, titles, descriptions, messages, notes.
 * - A text has something visible, or it is empty.
 * - No control character and no direction mark reaches a page, a mail, a picture, a table or a log. Joiners and variation
 *   selectors stay where they are part of a letter or an emoji.
 * - Blanks of every kind are one blank, and a letter has a bounded number of marks.
 */
import * as z from 'zod/mini'

/**
 * Joiners (ZWNJ, ZWJ) and variation selectors change the letter or emoji before them; without one they are nothing. All other
 * characters here are controls, direction marks, fillers and other signs that nobody sees.
 */
const SIGNS = /([\p{L}\p{M}\p{N}\p{S}\p{P}])([\ufe0e\ufe0f]?[\p{Join_C}\p{VS}\u180e])|[\p{Cc}\p{DI}\p{Co}\ufff9-\ufffb]/gu
const isBlankLetter = (char: string): boolean => /\p{DI}/u.test(char)

/** More than any script needs: Tibetan stacks and pointed Hebrew have four or five. */
const MARKS_MAX = 6
const TOO_MANY_MARKS = new RegExp(`((?:\\p{M}\\p{Join_C}?){${MARKS_MAX}})(?:\\p{M}\\p{Join_C}?)+`, 'gu')

const VISIBLE = /(?!\p{DI})[\p{L}\p{N}\p{P}\p{S}]/u

/** Lines end with a line feed, as everywhere. `\u2800` is the blank of Braille. */
const cleaned = (text: string): string => {
  const clean = text
    .replace(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replace(/[\p{Zs}\t\u2800]/gu, ' ')
    .split('\n')
    .map((line) =>
      line.replace(SIGNS, (_, letter: string | undefined, sign: string | undefined) =>
        letter === undefined || sign === undefined || isBlankLetter(letter) ? '' : letter + sign,
      ),
    )
    .join('\n')
    .normalize('NFC')
    .replace(TOO_MANY_MARKS, '$1')
  return VISIBLE.test(clean) ? clean : ''
}

/** A text of one line. */
export const line = (text: string): string => cleaned(text).replace(/\s+/g, ' ').trim()
/** A text of several lines, with at most one empty line between two. */
export const paragraphs = (text: string): string =>
  cleaned(text)
    .replace(/ +/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

/** The checks of fields: the cleaned text takes the place of the written one. */
export const oneLine = z.overwrite<string>(line)
export const severalLines = z.overwrite<string>(paragraphs)
