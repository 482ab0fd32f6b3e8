/** A field that was not touched is not sent: a colleague may have changed it, or ended that consent, since the form was opened. */
export function changedFields<T extends object>(before: T, after: T): Partial<T> {
  const isSame = (key: keyof T): boolean => JSON.stringify(before[key]) === JSON.stringify(after[key])
  return Object.fromEntries(Object.entries(after).filter(([key]) => !isSame(key as keyof T))) as Partial<T>
}
