/** Which video a link of YouTube means. */

const YOUTUBE_ID = /^[\w-]{11}$/
/** The video id of a YouTube short, full or /shorts/ link, or undefined (spec section 5, edit story). */
export function youtubeId(link: string): string | undefined {
  if (!URL.canParse(link)) return undefined
  const url = new URL(link)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  const host = url.hostname.replace(/^(www|m)\./, '')
  const path = url.pathname.split('/')
  const id =
    host === 'youtu.be'
      ? path[1]
      : host !== 'youtube.com'
        ? undefined
        : url.pathname === '/watch'
          ? url.searchParams.get('v')
          : path[1] === 'shorts'
            ? path[2]
            : undefined
  return id && YOUTUBE_ID.test(id) ? id : undefined
}
