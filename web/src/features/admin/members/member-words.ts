/** The words of a member's page: why a hold began, kinds of emails, states of rounds. An unknown word is shown as the server sent it. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'

type Words = Readonly<Record<string, MessageDescriptor | undefined>>

/** By kind of mail: the words for the mail that the member answered with "This wasn't me". */
export const HOLD_REASONS: Words = {
  new_bank_account: msg`about a new bank account`,
  withdrawal_requested: msg`about a withdrawal`,
  password_changed: msg`about a changed password`,
  phone_changed: msg`about a changed phone number`,
  new_device: msg`about a new login`,
  google_linked: msg`about Google being linked`,
}

export const MAIL_KINDS: Words = {
  verify: msg`Verify your email`,
  reset: msg`New password requested`,
  welcome: msg`Welcome`,
  password_changed: msg`Password changed`,
  phone_changed: msg`Phone number changed`,
  new_device: msg`New login`,
  google_linked: msg`Google linked`,
  account_suspended: msg`Account suspended`,
  account_reinstated: msg`Account reinstated`,
  payouts_held: msg`Withdrawals on hold`,
  payouts_released: msg`Withdrawals released`,
  new_bank_account: msg`New bank account`,
  withdrawal_requested: msg`Withdrawal requested`,
  withdrawal_paid: msg`Withdrawal sent`,
  withdrawal_returned: msg`Withdrawal returned`,
  withdrawal_rejected: msg`Withdrawal rejected`,
  refund_requested: msg`Refund requested`,
  refund_paid: msg`Refund sent`,
  refund_returned: msg`Refund returned`,
  refund_rejected: msg`Refund rejected`,
  money_added: msg`Money added`,
  payment_waiting: msg`Payment being checked`,
  payment_assigned: msg`Payment added after a check`,
  payment_taken_back: msg`Payment taken back by the bank`,
  payment_given_back: msg`Payment returned by the bank`,
  round_returned: msg`Round returned`,
  draw_won: msg`Reward won`,
  weekly_joins: msg`Weekly email`,
  auto_join_skipped: msg`Auto Participate skipped`,
  contact_received: msg`Message received`,
  contact_reply: msg`Reply to a message`,
}

export const ROUND_STATES: Words = {
  open: msg`open`,
  closed: msg`closed`,
  drawn: msg`result known`,
  settled: msg`settled`,
  void: msg`returned`,
}
