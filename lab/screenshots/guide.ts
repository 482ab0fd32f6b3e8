/**
 * The pictures of docs/operator-guide.md: the portal on a working day, in English, as wide as a small laptop shows it.
 * - `npm run lab -- screenshots` writes docs/pictures/<name>.webp. `ops/tidy/pictures.test.ts` compares names and size.
 */
import { paths } from '@roz/web/paths.ts'
import sharp from 'sharp'

type GuidePicture = { readonly name: string; readonly tab: string }
export const GUIDE_SIZE = { width: 960, height: 720 } as const

export const GUIDE: readonly GuidePicture[] = [
  { name: 'overview', tab: 'overview' },
  { name: 'messages', tab: 'messages' },
  { name: 'withdrawals', tab: 'withdrawals' },
  { name: 'help-given', tab: 'help-given' },
  { name: 'stories', tab: 'stories' },
]
export const guideAddress = ({ tab }: GuidePicture): string => `${paths.adminDashboard}?tab=${tab}`

/** Lossy: letters stay sharp at this quality, and a picture takes about 40 kB. */
export const compressed = (png: Buffer): Promise<Buffer> => sharp(png).webp({ quality: 80, effort: 6 }).toBuffer()
