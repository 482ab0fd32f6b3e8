/**
 * The public home page's figures.
 *
 * - All figures are computed from the books, never typed in: need shares of settled rounds, members who joined at least once.
 * - Today's shares follow the policy of today's round.
 * - A count of people that takes 50 ms or more is reused for a second, because its cost grows with the number of members.
 */
import type { Output } from '@roz/contract/api.ts'
import type { communityCalls } from '@roz/contract/community.ts'
import type { Story } from '@roz/contract/impact.ts'
import type { Language } from '@roz/core/language.ts'
import { ENTRY_FEE, type Paise, paise, rupeesFromPaise, ZERO } from '@roz/core/money.ts'
import { shares, type SplitPolicy } from '@roz/core/split.ts'
import { type Db, sql } from '../../db/sql.ts'
import { readHelpWaits } from '../../ledger/help-waits.ts'
import type { Handlers } from '../../http/route.ts'
import { readRequestFigures } from './desk-figures.ts'
import { readHelped } from './helped.ts'

type HomeDeps = {
  readonly db: Db
  /** The newest published stories. */
  readonly recentStories: (language: Language) => Promise<Story[]>
}

type HomeData = Output<typeof communityCalls.home>['data']
type Today = { name: 'A' | 'B'; need: number; reward: number; platform: number; winners: number; entries: bigint }

export function createHome({ db, recentStories }: HomeDeps) {
  const people = createPeopleCount(db)
  async function read(language: Language): Promise<HomeData> {
    const [totals, count, today, help, helped, desk, recentImpacts] = await Promise.all([
      readTotals(db),
      people(),
      readToday(db),
      readHelpWaits(db),
      readHelped(db),
      readRequestFigures(db),
      recentStories(language),
    ])
    return {
      stats: {
        totalCharity: rupeesFromPaise(totals.charity),
        totalPeople: count,
        rounds: Number(totals.rounds),
        today,
      },
      help,
      helped,
      desk,
      recentImpacts,
    }
  }
  const handlers: Handlers<'home'> = { home: async ({ language }) => ({ ok: true, value: { data: await read(language) } }) }
  return { handlers, read }
}

/** The sum of need shares, and the number of settled rounds. */
const readTotals = (db: Db) =>
  db.one<{ charity: Paise; rounds: bigint }>(sql`
    select coalesce(sum(need_paise), 0)::bigint as charity, count(*) as rounds
    from round where status = 'settled'`)

/** Today's pool, split as if the round closed now. */
async function readToday(db: Db) {
  const round = await db.maybeOne<Today>(sql`
    select r.policy as name, r.need, r.reward, r.platform, r.winners,
      coalesce(r.entries, (select sum(n) from join_batch b where b.day = r.day), 0)::bigint as entries
    from round r where r.day = ist_day(roz_now())`)
  if (round === undefined) return { pool: 0, charity: 0, giveaway: 0, platform: 0 }
  const pool = round.entries === 0n ? ZERO : paise(round.entries * ENTRY_FEE)
  const policy: SplitPolicy = round
  const cut = shares(pool, Number(round.entries), policy)
  return {
    pool: rupeesFromPaise(pool),
    charity: rupeesFromPaise(cut.need),
    giveaway: rupeesFromPaise(cut.reward),
    platform: rupeesFromPaise(cut.platform),
  }
}

const KEPT_MS = 1000
/** A quicker count is not kept: each request counts again. */
const SLOW_MS = 50

/** Counts members who have joined at least one round. Requests that arrive during a count share it. */
export function createPeopleCount(db: Db, slowMs = SLOW_MS): () => Promise<number> {
  let running: Promise<number> | undefined
  let kept: { readonly people: number; readonly at: number } | undefined
  return () => {
    // Real time on purpose: this is the age of a cached value, not a rule of the product.
    const began = performance.now()
    if (kept !== undefined && began - kept.at < KEPT_MS) return Promise.resolve(kept.people)
    running ??= countPeople(db)
      .then((people) => {
        const ended = performance.now()
        kept = ended - began < slowMs ? undefined : { people, at: ended }
        return people
      })
      .finally(() => {
        running = undefined
      })
    return running
  }
}

async function countPeople(db: Db): Promise<number> {
  const { people } = await db.one<{ people: bigint }>(sql`select count(*) as people from wallet where joins > 0`)
  return Number(people)
}
