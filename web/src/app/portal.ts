/**
 * Separates the portal's pages from the members': the portal has a stricter content security policy and its own token.
 * - A loaded page belongs to one side until it unloads. A link to the other side loads a new page.
 */
export const isOfPortal = (pathname: string): boolean => /^\/admin(\/|$)/.test(pathname)

/** Whether the current page belongs to the portal. */
export const inPortal = isOfPortal(location.pathname)
