/** Node has JSON.rawJSON since version 21; the compiler's own library does not know it yet. */
interface JSON {
  /** A value that `JSON.stringify` prints as this very text. */
  rawJSON(text: string): unknown
}
