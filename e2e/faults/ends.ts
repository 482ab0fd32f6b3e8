/** What was started, and how it is ended. */
export type End = () => void | Promise<void>

/** Calls `build`, which adds the end of everything that it starts to `ends` at once. The ends are called in reverse order: by `close`, or if it fails. */
export async function openWithEnds<T extends object>(
  build: (ends: End[]) => Promise<T>,
): Promise<T & { readonly close: () => Promise<void> }> {
  const ends: End[] = []
  const close = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end()
  }
  try {
    return { ...(await build(ends)), close }
  } catch (error) {
    await close()
    throw error
  }
}
