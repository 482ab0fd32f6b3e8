/** A body that each call accepts as far as its fields go, total over the contract: a new call without one does not compile. */
import type { CallName } from '@roz/contract/api.ts'
import { BANK, PASSWORD, PHONE } from './people.ts'

const TICKET_KEY = 'ab'.repeat(32)
const STORY = {
  title: 'Rice for forty families',
  description: 'Bags of rice reached forty families before noon.',
  charity: { name: 'Annapurna kitchen', description: 'Cooks for those who cannot.' },
  videoUrl: 'https://youtu.be/dQw4w9WgXcQ',
}

export type JsonObject = { readonly [name: string]: unknown }
/** Undefined where a call takes no body. */
export const BODIES: Readonly<Record<CallName, JsonObject | undefined>> = {
  register: { name: 'Gita Rao', email: 'gita@x.test', phone: PHONE, password: PASSWORD },
  login: { email: 'gita@x.test', password: PASSWORD },
  google: { token: 'not.a.token' },
  me: undefined,
  verifyEmail: undefined,
  resendVerification: undefined,
  forgotPassword: { email: 'gita@x.test' },
  resetPassword: { token: 'unknown', password: PASSWORD },
  logout: undefined,
  adminLogin: { email: 'gita@x.test', password: PASSWORD },
  stepUp: { password: PASSWORD },
  profile: undefined,
  updateProfile: { name: 'Gita Rao', phone: PHONE, autoParticipate: true, publicName: 'initial', language: 'en' },
  uploadAvatar: undefined,
  changePassword: { currentPassword: PASSWORD, newPassword: `${PASSWORD} two` },
  ticketKey: undefined,
  setTicketKey: { ticketKey: TICKET_KEY },
  checkout: undefined,
  addMoney: { amount: 20, phoneNumber: PHONE, ticketKey: TICKET_KEY },
  verifyOrder: undefined,
  confirmPayment: { order_id: 'a'.repeat(32) },
  withdraw: { amount: 10, bankDetail: BANK },
  withdrawals: undefined,
  transactions: undefined,
  cashfreeWebhook: undefined,
  adminWithdrawals: undefined,
  approveWithdrawal: undefined,
  rejectWithdrawal: { reason: 'The account is not yours.' },
  retryWithdrawal: undefined,
  completeWithdrawal: { bankReference: 'UTR0000000001' },
  withdrawalBank: undefined,
  requestRefund: { order_id: 'a'.repeat(32), amount: 10, reason: 'I added it twice.' },
  refunds: undefined,
  adminRefunds: undefined,
  approveRefund: undefined,
  rejectRefund: { reason: 'It was spent already.' },
  suspense: undefined,
  creditSuspense: { memberId: '00000000-0000-4000-8000-000000000000' },
  refundSuspense: undefined,
  cashfreePayoutsWebhook: undefined,
  joinRound: { ticketKey: TICKET_KEY },
  currentRound: undefined,
  roundHistory: undefined,
  roundStats: undefined,
  triggerDraw: { day: '2026-11-21' },
  stories: undefined,
  viewStory: undefined,
  impactStats: undefined,
  storiesAdmin: undefined,
  createStory: STORY,
  updateStory: { ...STORY, imageUrl: 'https://example.test/a.webp', isActive: false },
  home: undefined,
  notifications: undefined,
  readNotifications: { ids: ['1'] },
  contact: { name: 'Gita Rao', email: 'gita@x.test', message: 'How do I change my phone number?' },
  adminStats: undefined,
  adminUsers: undefined,
}

/** Parameters of the paths that have some: none of these exists. */
export const PARAMS: Readonly<Record<string, string>> = { orderId: 'f'.repeat(32), id: '00000000-0000-4000-8000-000000000000' }
