/** Finds the video of a YouTube link. */

const YOUTUBE_ID = /^[\w-]{11}$/

/** `URL.canParse` is newer than the oldest browsers that are served. */
export function isUrl(text: string): boolean {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}

/** The video id of a short, full or /shorts/ link of YouTube; undefined for any other link. */
export function youtubeId(link: string): string | undefined {
  if (!isUrl(link)) return undefined
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
