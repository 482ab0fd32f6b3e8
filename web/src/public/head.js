// Runs before a public page is drawn.
// - The language chosen in this browser overrides the language in the address, even for an address without a page.
// - The offline page replaces another page, so the language never redirects it.
// - A signed-in member is redirected from the front page to the dashboard, unless the address has #site (the portal's Back to site).
;(function () {
  try {
    const { pathname, search, hash } = location
    // The address prefix of each language, inserted by the build.
    const bases = __BASES__
    const here = Object.values(bases).find((base) => base && (pathname + '/').startsWith(base + '/')) || ''
    const there = bases[localStorage.getItem('language')]
    const rest = pathname.slice(here.length) || '/'
    if (rest === '/' && localStorage.getItem('token') && hash !== '#site') location.replace('/dashboard')
    else if (there !== undefined && there !== here && document.documentElement.dataset.offline === undefined)
      location.replace(there + (there && rest === '/' ? '' : rest) + search + hash)
  } catch {}
})()
