/** Cleanup: collects stop functions and calls them in reverse order. */
export type End = () => void | Promise<void>

/** Calls `build`, which registers a stop function for everything that it starts. `close`, or a failure of `build`, calls them in reverse order. */
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
