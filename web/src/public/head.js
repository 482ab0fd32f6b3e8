// Runs before a public page is drawn. The language kept in this browser beats the address, also where
// nothing lies there; the offline page stands in for whatever was asked for and goes nowhere. Whoever is
// signed in goes on from the front page to the dashboard, unless the portal's Back to site brought them.
;(function () {
  try {
    const { pathname, search, hash } = location
    const isHindi = /^\/hi(\/|$)/.test(pathname)
    const chosen = localStorage.getItem('language')
    if ((pathname === '/' || pathname === '/hi') && localStorage.getItem('token') && hash !== '#site') location.replace('/dashboard')
    else if (chosen === (isHindi ? 'en' : 'hi') && document.documentElement.dataset.offline === undefined)
      location.replace((isHindi ? pathname.slice(3) || '/' : '/hi' + (pathname === '/' ? '' : pathname)) + search + hash)
  } catch {}
})()
