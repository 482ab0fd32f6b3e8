/** Letters of scripts that are written from right to left. */
const FROM_RIGHT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * A name or a text of people inside a sentence of ours, where no markup can isolate it: mails, messages of devices, pictures.
 * Without the isolate (UAX #9) an Arabic or Hebrew name would turn the amounts and words around it.
 */
export const isolated = (text: string): string => (FROM_RIGHT.test(text) ? `\u2068${text}\u2069` : text)
