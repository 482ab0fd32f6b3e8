// Runs before a public page is drawn. The language kept in this browser beats the address; a member
// who opens the front page goes on to the dashboard.
;(function () {
  try {
    var s = localStorage,
      l = s.getItem('language'),
      p = location.pathname,
      h = document.documentElement.lang,
      q = location.search + location.hash
    if ((p === '/' || p === '/hi') && s.getItem('token') && location.hash !== '#site') location.replace('/dashboard')
    else if ((l === 'hi' || l === 'en') && l !== h && !document.documentElement.dataset.lost)
      location.replace((l === 'hi' ? '/hi' + (p === '/' ? '' : p) : p.slice(3) || '/') + q)
  } catch (e) {}
})()
