/** Values in this browser's localStorage. Where storage is blocked or full, nothing is stored and nothing fails. */
export function readStored(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined
  } catch {
    return undefined
  }
}

/** Stores the value; undefined deletes it. False if the browser stores nothing. */
export function store(name: string, value: string | undefined): boolean {
  try {
    if (value === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, value)
    return true
  } catch {
    return false
  }
}
