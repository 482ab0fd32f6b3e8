/**
 * The portal is a place of its own: its pages have a stricter policy and another token than the members'.
 * Invariant: a page belongs to one side for as long as it stands; who goes to the other loads a new page.
 */
export const isOfPortal = (pathname: string): boolean => /^\/admin(\/|$)/.test(pathname)

/** Of the page that runs. */
export const inPortal = isOfPortal(location.pathname)
