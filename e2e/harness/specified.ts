/** The answers of a server that knows only the product's specification (section 3), written down independently of the contract. */
import type { CallName } from '@roz/contract/api.ts'

type Fields = Record<string, unknown>

/** The paths of the specified fields, for each call that the specification describes. An index of a list is left out. */
const STORY =
  'id title description date amount views isActive videoUrl imageUrl charity.name charity.description winnerInfo.name winnerInfo.amount winnerInfo.totalParticipants'
const USER = 'name email phone avatar wallet.balance autoParticipate createdAt role'
const within = (place: string, fields: string): string =>
  fields
    .split(' ')
    .map((field) => `${place}.${field}`)
    .join(' ')
export const SPECIFIED: Readonly<Partial<Record<CallName, string>>> = {
  me: within('user', USER),
  login: `token ${within('user', USER)}`,
  google: `token ${within('user', USER)}`,
  register: `token ${within('user', USER)}`,
  profile: within('user', USER),
  addMoney: 'payment_session_id',
  verifyOrder: 'balance',
  withdraw: 'balance',
  joinRound: 'balance',
  transactions: within('transactions', 'id type description createdAt amount status'),
  home: `data.stats.totalCharity data.stats.totalPeople data.stats.rounds ${within('data.stats.today', 'pool charity giveaway platform')} ${within('data.recentImpacts', STORY)}`,
  currentRound:
    'totalParticipants totalAmount hasParticipated endTime lastImpactStory.videoUrl lastImpactStory.title lastWinner.name lastWinner.amount lastWinner.date',
  roundHistory: within('results', 'id date participated isWinner totalParticipants totalAmount prizeAmount charityAmount winner.name'),
  roundStats: 'totalParticipated totalWon winRate',
  stories: within('stories', STORY),
  impactStats: 'totalDonated charitiesSupported daysActive',
  storiesAdmin: within('stories', STORY),
  adminStats: 'totalUsers totalRevenue totalDonated todayParticipants todayRevenue activeRounds',
  adminUsers: within('users', `${USER} walletBalance totalParticipated totalWon`),
  uploadAvatar: 'avatarUrl',
  confirmPayment: `data.success ${within('data.orderUserDetails', 'order_id order_amount order_status')}`,
}

/** The value with these fields alone. */
export function only(value: unknown, fields: ReadonlySet<string>, place = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => only(item, fields, place))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const where = place === '' ? name : `${place}.${name}`
      if (fields.has(where)) return [[name, inner]]
      return [...fields].some((field) => field.startsWith(`${where}.`)) ? [[name, only(inner, fields, where)]] : []
    }),
  )
}
/** Every copy of the value that lacks one field, with the field's path. */
export function* lacking(value: unknown, path: readonly string[] = []): Generator<readonly [path: string, value: unknown]> {
  if (Array.isArray(value)) for (const [where, item] of lacking(value[0], path)) yield [where, [item]]
  else if (typeof value === 'object' && value !== null)
    for (const [name, inner] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Fields
      yield [[...path, name].join('.'), rest]
      for (const [where, less] of lacking(inner, [...path, name])) yield [where, { ...value, [name]: less }]
    }
}
