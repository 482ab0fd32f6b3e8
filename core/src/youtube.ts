/** Finds the video of a YouTube link. */

const YOUTUBE_ID = /^[\w-]{11}$/
/** The video id of a short, full or /shorts/ link of YouTube; undefined for any other link. */
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
