/**
 * All refusals of the API: HTTP status and text in every language.
 * - The map is total over codes and languages. The server sends the message; the web finds the text by its code.
 * - Texts that the product's spec gives are copied to the letter.
 */
import { isolated } from './isolated.ts'
import type { Texts } from './language.ts'
import { texts } from './texts.ts'

type Refusal = Texts & { readonly status: number }
const refusal = (status: number, words: Texts): Refusal => ({ status, ...words })

export const REFUSALS = {
  // The request itself
  invalid_input: refusal(400, texts('Please check what you entered.')),
  bad_json: refusal(400, texts('The request is not valid JSON.')),
  not_found: refusal(404, texts('There is nothing at this address.')),
  wrong_host: refusal(421, texts('This server does not answer under this name.')),
  method_not_allowed: refusal(405, texts('This address does not support that method.')),
  body_too_large: refusal(413, texts('The request is too large.')),
  unsupported_media_type: refusal(415, texts('This content type is not supported.')),
  idempotency_mismatch: refusal(409, texts('This Idempotency-Key was used for another request.')),
  too_many_requests: refusal(429, texts('Too many attempts. Please wait a little and try again.')),
  overloaded: refusal(503, texts('We are very busy right now. Please try again in a moment.')),
  clock_wrong: refusal(503, texts('The clock of our server is being corrected. No money moved. Please try again in a few minutes.')),
  internal: refusal(500, texts('Something went wrong on our side. Please try again.')),
  // Authorization
  unauthenticated: refusal(401, texts('Please log in to continue.')),
  forbidden: refusal(403, texts('You do not have access to this.')),
  email_unverified: refusal(403, texts('Please verify your email to continue.')),
  /** A staff account at the members' login. */
  staff_portal: refusal(403, texts('This is an account of the team. Please log in on the page of the team.')),
  pan_not_needed: refusal(409, texts('We need your PAN only after tax was withheld from a reward.')),
  account_checked: refusal(409, texts('We are checking your account, so you cannot delete it yet. Please contact us.')),
  dispute_open: refusal(409, texts('A payment of yours is disputed. You can delete your account once the bank has decided.')),
  on_hold: refusal(403, texts('Your account is suspended. Please contact us.')),
  cannot_join: refusal(403, texts('We cannot add you to a round right now. No money was taken. Please contact us.')),
  step_up_required: refusal(403, texts('Please confirm with your password.')),
  totp_required: refusal(403, texts('Please set up your authenticator app first.')),
  code_required: refusal(403, texts('Please enter the code of your authenticator app.')),
  /** The account has a passkey; a code of the app is accepted too, except where the person has refused it. */
  passkey_required: refusal(403, texts('Please use your passkey.')),
  passkeys_only: refusal(403, texts('You have turned off codes of the app for logging in. Please use your passkey or a recovery code.')),
  // Identity
  email_taken: refusal(409, texts('An account with this email already exists.')),
  invalid_credentials: refusal(401, texts('Invalid email or password')),
  google_failed: refusal(401, texts('Google login failed')),
  google_other_account: refusal(
    409,
    texts('This email is linked to another Google account. Please log in with that one, or with your password.'),
  ),
  google_not_configured: refusal(404, texts('Google login is not available.')),
  verification_token_invalid: refusal(400, texts('Invalid or missing verification token')),
  verification_token_expired: refusal(400, texts('This verification link has expired. Please request a new one.')),
  already_verified: refusal(409, texts('Your email is already verified.')),
  reset_token_invalid: refusal(400, texts('This reset link is invalid or has expired. Please request a new one.')),
  alert_link_invalid: refusal(
    400,
    texts('This link is invalid or has expired. If something is wrong with your account, set a new password and contact us.'),
  ),
  wrong_password: refusal(403, texts('That password is not correct.')),
  wrong_code: refusal(403, texts('That code is not correct, or it was used before.')),
  wrong_passkey: refusal(403, texts('The passkey was not accepted. Please try again.')),
  no_passkey: refusal(409, texts('This account has no passkey.')),
  passkeys_full: refusal(409, texts('You have 10 passkeys. Remove one first.')),
  passkey_not_found: refusal(404, texts('There is no such passkey.')),
  totp_enrolled: refusal(409, texts('An authenticator app is set up already.')),
  totp_not_started: refusal(409, texts('Please start the setup of the app again.')),
  totp_not_enrolled: refusal(409, texts('No authenticator app is set up.')),
  own_totp: refusal(409, texts('This is your own app. Change it under “My account”.')),
  // The team
  invitation_invalid: refusal(400, texts('This invitation is invalid or has expired. Please request a new one.')),
  invitation_not_found: refusal(404, texts('There is no such open invitation.')),
  member_address: refusal(409, texts('This address belongs to a member. Staff have no wallet: please use another address.')),
  staff_exists: refusal(409, texts('This person is already in the team.')),
  staff_not_found: refusal(404, texts('There is no such person in the team.')),
  last_owner: refusal(409, texts('This is the only owner. First make somebody else an owner.')),
  avatar_not_image: refusal(400, texts('Please choose an image file.')),
  avatar_too_large: refusal(413, texts('The image must be 5 MB or smaller.')),
  picture_pixels: refusal(413, texts('This picture has too many pixels: at most 24 megapixels, such as 6000 × 4000.')),
  picture_heic: refusal(400, texts('We cannot read HEIC pictures. Please save it as JPEG or take a screenshot of it.')),
  // Money
  insufficient_balance: refusal(409, texts('Insufficient balance. Please add money to your wallet.')),
  insufficient_funds: refusal(409, texts('Insufficient balance')),
  autopay_stopping: refusal(409, texts('AutoPay is stopping. Please try again later.')),
  topups_paused: refusal(403, texts('Adding money is paused.')),
  withdrawals_paused: refusal(403, texts('Withdrawals are paused.')),
  order_not_found: refusal(404, texts("We couldn't find any payment information for this order.")),
  transaction_not_found: refusal(404, texts('There is no such transaction.')),
  gateway_unavailable: refusal(502, texts('Our payment partner did not answer. Please try again.')),
  other_way_to_pay: refusal(409, texts('Money is added in another way here. Please reload the page.')),
  transfer_known: refusal(409, texts('This transfer is recorded already, or its line belongs to another entry.')),
  transfer_no_order: refusal(404, texts('No order has this reference. Compare it with the bank again.')),
  transfer_other_amount: refusal(409, texts('The order is for {amount}. Another amount is confirmed by its line of the statement.')),
  transfer_has_line: refusal(409, texts('A statement has this transfer. Confirm its line instead.')),
  transfer_not_found: refusal(404, texts('There is no such transfer.')),
  transfer_final: refusal(409, texts('This transfer was decided already.')),
  prize_passed_on: refusal(409, texts('You have passed this reward on already.')),
  prize_too_old: refusal(409, texts('A reward can be passed on for 30 days. This one is older.')),
  debt_first: refusal(409, texts('You owe for a payment that your bank took back. That comes first, so nothing can be passed on now.')),
  nothing_left: refusal(409, texts('Nothing of this reward is left in your wallet.')),
  withdrawal_not_found: refusal(404, texts('There is no such withdrawal.')),
  withdrawal_final: refusal(409, texts('This withdrawal can no longer be changed this way.')),
  withdrawal_not_approved: refusal(409, texts('This withdrawal is not approved yet. Approve it first.')),
  changed_since_seen: refusal(409, texts('This changed while you had it open. Look at it again, then decide.')),
  being_paid_by_hand: refusal(
    409,
    texts('{name} has seen the bank account and may have paid. Only {name} can end this withdrawal, as paid or as not paid.'),
  ),
  bank_not_shown: refusal(
    409,
    texts('Open the bank account of this withdrawal first. Only the person who has seen it can end the withdrawal.'),
  ),
  member_on_hold: refusal(409, texts("This member's withdrawals are on hold.")),
  member_in_debt: refusal(
    409,
    texts('This member owes us for a payment that the bank took back. Reject this: the held money then pays that debt.'),
  ),
  second_person_needed: refusal(409, texts('You approved this already. Another person must approve it too.')),
  role_too_new: refusal(
    409,
    texts('This needs two persons who have had their role for 48 hours. One of them has it for less. Ask somebody else.'),
  ),
  own_money: refusal(403, texts('This money goes to you. Another person must decide.')),
  payouts_by_hand: refusal(409, texts('No payout gateway is set up: pay by hand and enter the bank reference.')),
  payouts_by_gateway: refusal(409, texts('Withdrawals are sent by the gateway here.')),
  refund_not_possible: refusal(409, texts('This payment cannot be refunded: only payments of the last 7 days can.')),
  refund_exceeds_unused: refusal(409, texts('This is more than the unused part of this payment.')),
  refund_too_small: refusal(409, texts('A refund is at least ₹1, or all that is left of this payment.')),
  refunds_open: refusal(409, texts('You have 5 refunds that are not finished. You can request another one when one of them ends.')),
  refund_not_found: refusal(404, texts('There is no such refund.')),
  refund_final: refusal(409, texts('This refund can no longer be changed this way.')),
  suspense_not_found: refusal(404, texts('There is no such payment in suspense.')),
  suspense_decided: refusal(409, texts('This payment has been decided already.')),
  suspense_no_source: refusal(409, texts('This money came from a bank account: it has no payment to refund.')),
  suspense_other_currency: refusal(409, texts('This payment is not in rupees: it can only be sent back.')),
  suspense_by_wallet: refusal(409, texts('Only money of a closed account is paid out by hand.')),
  payment_taken_back: refusal(409, texts('This money has gone back to the bank or to its owner: there is nothing to give out now.')),
  payout_pending: refusal(409, texts('A withdrawal is not finished yet. You can delete your account after it.')),
  refund_pending: refusal(409, texts('A refund is not finished yet. You can delete your account after it.')),
  round_pending: refusal(409, texts('A round that you joined has no result yet. You can delete your account after it.')),
  money_left: refusal(409, texts('There is money in your wallet. First withdraw it or donate it to the help fund.')),
  already_held: refusal(409, texts("This member's withdrawals are on hold already.")),
  already_suspended: refusal(409, texts('This member is suspended already.')),
  not_suspended: refusal(409, texts('This member is not suspended.')),
  not_held: refusal(409, texts("This member's withdrawals are not on hold.")),
  member_not_found: refusal(404, texts('There is no such member.')),
  webhook_signature: refusal(401, texts('The signature of this event does not match.')),
  // Rounds
  already_joined: refusal(409, texts("You have already joined today's round.")),
  round_closed: refusal(409, texts("Today's round is closed. The next one opens at midnight.")),
  yearly_maximum: refusal(409, texts('You have reached the yearly maximum of ₹365.')),
  receipt_used: refusal(409, texts('This bill already proves another payment. Each payment needs its own bills.')),
  disbursement_not_found: refusal(404, texts('There is no such disbursement.')),
  settlement_not_found: refusal(404, texts('There is no such settlement.')),
  settlement_known: refusal(409, texts('This settlement is already recorded, or requested.')),
  settlement_exceeds_owed: refusal(409, texts('This is more than the gateway owes us. Check the amount and the fee.')),
  correction_too_large: refusal(409, texts('More came back than was left of this disbursement. Check the amount.')),
  ticket_key_taken: refusal(409, texts('This ticket key is already in use. Please make another.')),
  no_participants: refusal(409, texts('No members have joined yet.')),
  round_already_closed: refusal(409, texts("Today's round is already closed.")),
  draw_waiting: refusal(409, texts('The round is waiting for the public random number.')),
  round_not_found: refusal(404, texts('There is no such round.')),
  // The log of days
  not_a_note: refusal(400, texts('This is not a signed note.')),
  witness_unknown: refusal(403, texts('No running day names this witness.')),
  checkpoint_unknown: refusal(409, texts('The log has signed no such checkpoint.')),
  cosignature_invalid: refusal(422, texts('This cosignature is not valid.')),
  // Disbursements of help
  beneficiary_not_found: refusal(404, texts('There is no such beneficiary.')),
  case_not_found: refusal(404, texts('No request has this number and this phone number.')),
  case_too_late: refusal(
    409,
    texts('This request has ended, or its help is agreed. It can no longer be withdrawn here. Please tell us when we call.'),
  ),
  case_stage: refusal(409, texts('The request is at another stage. This step is not possible there.')),
  case_tries: refusal(409, texts('Try three times first, and record each attempt.')),
  case_checks: refusal(409, texts('For this amount two different people must check the need first.')),
  case_not_agreed: refusal(409, texts('Nobody has agreed to help with this request, or its payment was asked for already.')),
  case_ordered: refusal(409, texts('An earlier day has decided the place of one of these requests already. It cannot be decided again.')),
  consent_missing: refusal(409, texts('There is no recorded consent yet. Record it first.')),
  purpose_names_person: refusal(
    409,
    texts('The public words contain the name of the person. Reject this, and request it without the name.'),
  ),
  outlay_not_found: refusal(404, texts('There is no such entry.')),
  outlay_final: refusal(409, texts('This was decided already.')),
  finding_not_found: refusal(404, texts('There is no such finding.')),
  finding_final: refusal(409, texts('This finding is closed, or fits by now.')),
  bank_account_not_found: refusal(404, texts('There is no such bank account.')),
  bank_account_exists: refusal(409, texts('A bank account with this name already exists.')),
  bank_line_not_found: refusal(404, texts('There is no such line of a bank statement.')),
  /** Matched meanwhile, another amount, or none of our entries. */
  bank_match_refused: refusal(409, texts('This entry cannot be matched with this line. Please look again.')),
  /** A payment by hand is said to have come back, and the statement does not show it. */
  bank_line_needed: refusal(
    409,
    texts(
      "The bank's statement does not show this. Import it to the day after the payment, then choose the line by which the money came back.",
    ),
  ),
  statement_too_large: refusal(413, texts('This file is too large. A statement has at most 2 MB and 10,000 rows.')),
  statement_no_table: refusal(
    422,
    texts('This file is no table of text. Download the statement as CSV, or save it as CSV in your spreadsheet program.'),
  ),
  statement_no_header: refusal(422, texts('No row of this file has all columns of the mapping: {columns}. Check the names.')),
  statement_empty: refusal(422, texts('This file has no line. Download a longer time.')),
  statement_date: refusal(422, texts('Row {row}: the date cannot be read as {format}.')),
  statement_amount: refusal(422, texts('Row {row}: the amount or the balance cannot be read.')),
  statement_order: refusal(422, texts('Row {row}: its day is out of order. Choose the column of the day on which the bank booked it.')),
  statement_balance: refusal(422, texts('Row {row}: the balance does not add up. It should be {expected}, the file says {found}.')),
  statement_after_end: refusal(422, texts('Row {row}: a line after the end of the table. Remove the rows between.')),
  statement_either_way: refusal(
    409,
    texts('The lines of this file add up from the first row down and from the last row up. Begin with a file of more days.'),
  ),
  statement_gap: refusal(
    409,
    texts(
      'This file begins with a balance of {begins}. The stored line before it, of {day}, ends with {ends}. Import the days between first.',
    ),
  ),
  statement_gap_before: refusal(
    409,
    texts(
      'This file ends with a balance of {ends}. The stored line after it, of {day}, begins with {begins}. Import the days between first.',
    ),
  ),
  statement_differs: refusal(
    409,
    texts('Row {row}: other lines of this day are stored already. Download whole days, of the same account.'),
  ),
  own_request: refusal(403, texts('You requested this. Another person must approve it.')),
  request_waiting: refusal(409, texts('A payment to this person waits for approval. It must be decided before the record changes.')),
  own_consent: refusal(403, texts('You wrote or changed the record of this person. Somebody else must approve the payment.')),
  own_payment: refusal(403, texts('You decided about this payment. Somebody else must take its proof back.')),
  own_arrival: refusal(
    403,
    texts('You requested or approved this payment, or wrote the record of this person. Somebody else must confirm that it arrived.'),
  ),
  own_check: refusal(403, texts('You checked this request. Somebody else must record what came of it.')),
  arrival_recorded: refusal(409, texts('This was recorded already.')),
  arrival_payer: refusal(403, texts('Only somebody who requested or approved this payment may see its code.')),
  follow_up_consent: refusal(409, texts('The person has not agreed to be asked again. Record that consent first.')),
  follow_up_not_due: refusal(409, texts('No follow-up is due for this help now.')),
  follow_up_not_found: refusal(404, texts('There is no such follow-up.')),
  follow_up_withheld: refusal(409, texts('This follow-up is withheld already.')),
  follow_up_picture: refusal(409, texts('This picture is gone, or another follow-up shows it. Please choose a picture again.')),
  picture_not_picture: refusal(400, texts('Please choose a photo, not another kind of file.')),
  receipt_not_found: refusal(404, texts('There is no such bill. Please upload it again.')),
  receipt_withheld: refusal(409, texts('This picture is withheld already.')),
  receipt_not_picture: refusal(400, texts('Please choose a picture of the bill, not another kind of file.')),
  receipt_too_large: refusal(413, texts('The picture must be 10 MB or smaller.')),
  // Stories
  story_not_found: refusal(404, texts('There is no such story.')),
  story_exists: refusal(409, texts('This help already has a story.')),
  story_told: refusal(409, texts('This story was published with its help, which cannot change. Write a new story for other help.')),
  story_was_published: refusal(
    409,
    texts('This story was published once, so it cannot be deleted. When unpublished, only the team can see it.'),
  ),
  consent_revoked: refusal(409, texts('The consent was revoked. Nothing may show this person any more.')),
  flag_not_found: refusal(404, texts('There is no such flag.')),
  // Announcements
  announcement_not_found: refusal(404, texts('There is no such announcement.')),
  announcement_over: refusal(409, texts('This announcement is over. Please make a new one.')),
  // Messages
  message_not_found: refusal(404, texts('There is no such message.')),
  // Outside production only
  clock_step_back: refusal(409, texts('The clock cannot go back to before the opening of the newest open round.')),
} as const satisfies Record<string, Refusal>

export type RefusalCode = keyof typeof REFUSALS

/** Fills the values of a refusal into its text: `{name}` by the value `name`, isolated. */
export const filled = (words: string, values: Readonly<Record<string, string>> = {}): string =>
  words.replace(/\{(\w+)\}/g, (mark, name: string) => isolated(values[name] ?? mark))
