/** Data of the public pages and the app's page: the operator's facts, public reads, and origins for the content security policy. */
import path from 'node:path'
import type { SiteFacts } from '@roz/contract/public-pages.ts'
import { rupeesFromPaise } from '@roz/core/money.ts'
import type { Config } from './config/config.ts'
import type { Db } from './db/sql.ts'
import type { SiteData } from './features/site/pages.ts'
import type { SiteDeps } from './features/site/site.ts'
import { limitRules, take } from './protection/limits.ts'
import type { Services } from './services.ts'

const GOOGLE_SCRIPT = 'https://accounts.google.com/gsi/client'
const STORIES_SHOWN = 25
const DAYS_SHOWN = 31

export function siteDeps(
  config: Config,
  db: Db,
  services: Services,
  known: Pick<SiteDeps, 'webDir' | 'hasAutopay' | 'hasTransfers' | 'nowMs'>,
): SiteDeps {
  const rules = limitRules({ production: config.production })
  return {
    ...known,
    data: dataOf(services),
    subjects: subjectsOf(services),
    picturesDir: path.join(config.dataDir, 'share'),
    site: factsOf(config),
    securityEmail: config.securityEmail,
    gateway: gatewayOrigins(config),
    pictureHosts: config.pictureHosts,
    google: { clientId: config.google.clientId, scriptUrl: GOOGLE_SCRIPT },
    production: config.production,
    isTraced: config.traces !== undefined,
    publicUrl: config.publicUrl,
    // If the database is down, pages are rendered without a limit.
    mayDraw: (ip) => take(db, rules.drawnPage(ip)).catch(() => take(db, [])),
  }
}

/** Fills the pages with the API's own answers to a visitor, so pages and API cannot differ. */
const dataOf =
  ({ publicReads }: Services): SiteData =>
  async (language, withDays) => {
    const [home, round, { stories, nextCursor }, days, edited] = await Promise.all([
      publicReads.home(language),
      publicReads.currentRound(language),
      publicReads.stories(language, STORIES_SHOWN),
      withDays ? publicReads.days(language, DAYS_SHOWN) : undefined,
      publicReads.editedSite(),
    ])
    return { home, round, stories, storiesNext: nextCursor, days, edited }
  }

/** Subjects of shared links: the public reads of days and stories. */
const subjectsOf = ({ publicReads }: Services): SiteDeps['subjects'] => ({
  day: async (day) => {
    const figures = await publicReads.dayFigures(day)
    return figures && { kind: 'day', day, ...figures }
  },
  story: async (id, language) => {
    const story = await publicReads.story(id, language)
    return story && { kind: 'story', story }
  },
  publicStories: publicReads.publicStories,
})

function factsOf({ business, site }: Config): SiteFacts {
  return {
    brandName: business.brandName,
    ...site,
    legalEntity: business.legalEntity,
    grievanceOfficer: business.grievanceOfficer,
    minAgeYears: business.minAgeYears,
    topupMinRupees: rupeesFromPaise(business.topupLimits.min),
    topupMaxRupees: rupeesFromPaise(business.topupLimits.max),
    modes: business.modes,
  }
}

/** Origins of the gateway's script, and of its hosted pages and forms. */
function gatewayOrigins({ gateway }: Config): SiteDeps['gateway'] {
  if (gateway === undefined) return { scripts: [], pages: [] }
  return { scripts: [new URL(gateway.scriptUrl).origin], pages: gateway.pages }
}
