/** Draws text as a QR code with error correction M. It runs in the browser, so the secret in the text reaches no other host. */
import { encode } from 'uqr'

/** The rows of the code, true where it is dark. Throws for a text that is too long. */
export const qrOf = (text: string): readonly (readonly boolean[])[] => encode(text, { ecc: 'M', border: 0 }).data

/** The dark modules as one SVG path, inside a border of four light modules. */
export const qrPath = (rows: readonly (readonly boolean[])[]): string =>
  rows.map((row, y) => row.map((dark, x) => (dark ? `M${x + 4} ${y + 4}h1v1h-1z` : '')).join('')).join('')
