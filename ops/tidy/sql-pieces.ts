/** Splits the text of a statement into words, values, signs and groups in parentheses. Casts are left out. */

export type Token = { readonly kind: 'word' | 'value' | 'sign'; readonly text: string }
export type Group = { readonly kind: 'group'; readonly pieces: readonly Piece[] }
export type Piece = Token | Group

/** In this order: text, a quoted name, an interpolated alias with its column, a value, a number, a name with its alias, a sign. */
const PIECE = /'(?:[^']|'')*'|"[^"]*"|\$\.\w+|:\w+|\$|\d[\d_.]*|[a-z_]\w*(?:\.(?:\w+|\*))?|\|\||->>?|[<>=!~]+|[^\s]/gi
const CAST = /::\s*[a-z_]\w*(?:\[\])*/gi

export function treeOf(text: string): Piece[] {
  const stack: Piece[][] = [[]]
  for (const [found] of text.replace(CAST, '').matchAll(PIECE)) {
    if (found === '(' || found === '[') stack.push([])
    else if ((found === ')' || found === ']') && stack.length > 1) {
      const pieces = stack.pop() as Piece[]
      stack.at(-1)?.push({ kind: 'group', pieces })
    } else stack.at(-1)?.push({ kind: kindOf(found), text: found.startsWith("'") ? found : found.toLowerCase() })
  }
  while (stack.length > 1) {
    const pieces = stack.pop() as Piece[]
    stack.at(-1)?.push({ kind: 'group', pieces })
  }
  return withoutCases(stack[0] as Piece[])
}

const kindOf = (text: string): Token['kind'] => {
  if (text.startsWith('$.') || /^["a-z_]/i.test(text)) return /^(true|false|null)$/i.test(text) ? 'value' : 'word'
  return /^['$:\d]/.test(text) ? 'value' : 'sign'
}

/** `case … end` as a group of its own: its conditions are not those of the statement. */
function withoutCases(pieces: readonly Piece[]): Piece[] {
  const stack: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind === 'word' && piece.text === 'case') stack.push([piece])
    else if (piece.kind === 'word' && piece.text === 'end' && stack.length > 1) {
      const inner = stack.pop() as Piece[]
      stack.at(-1)?.push({ kind: 'group', pieces: inner })
    } else stack.at(-1)?.push(piece.kind === 'group' ? { kind: 'group', pieces: withoutCases(piece.pieces) } : piece)
  }
  return stack.flat()
}

/** The parts between words or signs of this depth. The `and` of `between` splits too, and its parts say nothing. */
export function splitAt(pieces: readonly Piece[], ...words: readonly string[]): Piece[][] {
  const parts: Piece[][] = [[]]
  for (const piece of pieces) {
    if (piece.kind !== 'group' && words.includes(piece.text)) parts.push([])
    else parts.at(-1)?.push(piece)
  }
  return parts.map((part) => (part[0]?.kind === 'word' && part[0].text === 'all' && words.includes('union') ? part.slice(1) : part))
}
