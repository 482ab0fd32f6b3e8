// Runs before a public page is drawn. The language kept in this browser beats the address, also where
// nothing lies there; the offline page stands in for whatever was asked for and goes nowhere. Whoever is
// signed in goes on from the front page to the dashboard, unless the portal's Back to site brought them.
;(function () {
  try {
    const { pathname, search, hash } = location
    // Where each language begins, written in by the build.
    const bases = __BASES__
    const here = Object.values(bases).find((base) => base && (pathname + '/').startsWith(base + '/')) || ''
    const there = bases[localStorage.getItem('language')]
    const rest = pathname.slice(here.length) || '/'
    if (rest === '/' && localStorage.getItem('token') && hash !== '#site') location.replace('/dashboard')
    else if (there !== undefined && there !== here && document.documentElement.dataset.offline === undefined)
      location.replace(there + (there && rest === '/' ? '' : rest) + search + hash)
  } catch {}
})()
