/** Caches successful signature checks, at most 4,096. Failures are not cached. */
const KEPT = 4096

export function memory(): { readonly once: (key: string, check: () => boolean) => boolean } {
  const known = new Set<string>()
  return {
    once(key, check) {
      if (known.has(key)) return true
      const isTrue = check()
      if (isTrue) {
        if (known.size >= KEPT) known.clear()
        known.add(key)
      }
      return isTrue
    },
  }
}
