// Runs before a public page is drawn. The language kept in this browser beats the address; whoever is
// signed in goes on from the front page to the dashboard, unless the portal's Back to site brought them.
;(function () {
  try {
    const { pathname, search, hash } = location
    const { lang, dataset } = document.documentElement
    const chosen = localStorage.getItem('language')
    if ((pathname === '/' || pathname === '/hi') && localStorage.getItem('token') && hash !== '#site') location.replace('/dashboard')
    else if ((chosen === 'hi' || chosen === 'en') && chosen !== lang && dataset.lost === undefined)
      location.replace((chosen === 'hi' ? '/hi' + (pathname === '/' ? '' : pathname) : pathname.slice(3) || '/') + search + hash)
  } catch {}
})()
