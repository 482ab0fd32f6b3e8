/** Parses the arguments of a command: pairs of `--name value`, and nothing else. */

/** Undefined if an argument is unknown, repeated or without a value, or a required one is missing. */
export function pairsOf<Name extends string, Needed extends Name>(
  words: readonly string[],
  names: readonly Name[],
  needed: readonly Needed[],
): (Readonly<Partial<Record<Name, string>>> & Readonly<Record<Needed, string>>) | undefined {
  const pairs: Partial<Record<string, string>> = {}
  for (let at = 0; at < words.length; at += 2) {
    const [name, value] = [words[at]?.replace(/^--/, '') ?? '', words[at + 1]]
    const isKnown = words[at]?.startsWith('--') === true && (names as readonly string[]).includes(name)
    if (!isKnown || value === undefined || pairs[name] !== undefined) return undefined
    pairs[name] = value
  }
  return needed.every((name) => pairs[name] !== undefined) ? (pairs as Partial<Record<Name, string>> & Record<Needed, string>) : undefined
}
