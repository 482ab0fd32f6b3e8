/**
 * Every refusal of the API: its HTTP status and its words in every language. One map, total over
 * codes and languages, read by the server (message) and the web (Hindi by code). Texts that the
 * spec or product.md gives are copied to the letter.
 */
import type { Texts } from './language.ts'

type Refusal = Texts & { readonly status: number }
const refusal = (status: number, en: string, hi: string): Refusal => ({ status, en, hi })

export const REFUSALS = {
  // The request itself
  invalid_input: refusal(400, 'Please check what you entered.', 'कृपया अपनी भरी हुई जानकारी जाँचें।'),
  bad_json: refusal(400, 'The request is not valid JSON.', 'अनुरोध सही JSON नहीं है।'),
  not_found: refusal(404, 'There is nothing at this address.', 'इस पते पर कुछ नहीं है।'),
  method_not_allowed: refusal(405, 'This address does not support that method.', 'यह पता इस तरीके से नहीं चलता।'),
  body_too_large: refusal(413, 'The request is too large.', 'अनुरोध बहुत बड़ा है।'),
  unsupported_media_type: refusal(415, 'This content type is not supported.', 'इस प्रकार की सामग्री मान्य नहीं है।'),
  idempotency_mismatch: refusal(
    409,
    'This Idempotency-Key was used for another request.',
    'अनुरोध की यह कुंजी किसी और अनुरोध में इस्तेमाल हो चुकी है।',
  ),
  too_many_requests: refusal(
    429,
    'Too many attempts. Please wait a little and try again.',
    'बहुत ज़्यादा कोशिशें हुईं। थोड़ी देर रुककर फिर कोशिश करें।',
  ),
  overloaded: refusal(503, 'Roz is very busy right now. Please try again in a moment.', 'अभी बहुत भीड़ है। थोड़ी देर में फिर कोशिश करें।'),
  internal: refusal(500, 'Something went wrong on our side. Please try again.', 'हमारी तरफ़ कुछ गड़बड़ हुई। कृपया फिर कोशिश करें।'),
  // Who asks
  unauthenticated: refusal(401, 'Please log in to continue.', 'आगे बढ़ने के लिए लॉग इन करें।'),
  forbidden: refusal(403, 'You do not have access to this.', 'आपको इसकी अनुमति नहीं है।'),
  email_unverified: refusal(403, 'Please verify your email to continue.', 'आगे बढ़ने के लिए अपने ईमेल की पुष्टि करें।'),
  on_hold: refusal(403, 'Your account is on hold. Please contact us.', 'आपका खाता रोका गया है। कृपया हमसे संपर्क करें।'),
  step_up_required: refusal(403, 'Please confirm with your password.', 'कृपया अपने पासवर्ड से पुष्टि करें।'),
  // Identity
  email_taken: refusal(409, 'An account with this email already exists.', 'इस ईमेल से एक खाता पहले से है।'),
  invalid_credentials: refusal(401, 'Invalid email or password', 'ईमेल या पासवर्ड सही नहीं है'),
  google_failed: refusal(401, 'Google login failed', 'Google लॉगिन नहीं हो पाया'),
  google_not_configured: refusal(404, 'Google login is not available.', 'Google लॉगिन उपलब्ध नहीं है।'),
  verification_token_invalid: refusal(400, 'Invalid or missing verification token', 'पुष्टि का लिंक अधूरा है या सही नहीं है'),
  verification_token_expired: refusal(
    400,
    'This verification link has expired. Please ask for a new one.',
    'पुष्टि का यह लिंक पुराना हो गया है। कृपया नया मँगाएँ।',
  ),
  already_verified: refusal(409, 'Your email is already verified.', 'आपके ईमेल की पुष्टि पहले ही हो चुकी है।'),
  reset_token_invalid: refusal(
    400,
    'This reset link is invalid or has expired. Please ask for a new one.',
    'यह रीसेट लिंक सही नहीं है या पुराना हो गया है। कृपया नया मँगाएँ।',
  ),
  wrong_password: refusal(403, 'That password is not correct.', 'यह पासवर्ड सही नहीं है।'),
  avatar_not_image: refusal(400, 'Please choose an image file.', 'कृपया कोई तस्वीर चुनें।'),
  avatar_too_large: refusal(413, 'The image must be 5 MB or smaller.', 'तस्वीर 5 MB या उससे छोटी होनी चाहिए।'),
  // Money
  insufficient_balance: refusal(409, 'Insufficient balance. Please add money to your wallet.', 'बैलेंस कम है। कृपया अपने वॉलेट में पैसे जोड़ें।'),
  insufficient_funds: refusal(409, 'Insufficient balance', 'बैलेंस कम है'),
  topups_paused: refusal(403, 'Adding money is paused.', 'पैसे जोड़ना अभी रुका हुआ है।'),
  withdrawals_paused: refusal(403, 'Withdrawals are paused.', 'पैसे निकालना अभी रुका हुआ है।'),
  order_not_found: refusal(404, "We couldn't find any payment information for this order.", 'इस ऑर्डर के भुगतान की कोई जानकारी नहीं मिली।'),
  transaction_not_found: refusal(404, 'There is no such transaction.', 'ऐसा कोई लेन-देन नहीं है।'),
  gateway_unavailable: refusal(
    502,
    'The payment gateway did not answer. Please try again.',
    'भुगतान गेटवे से जवाब नहीं मिला। कृपया फिर कोशिश करें।',
  ),
  withdrawal_not_found: refusal(404, 'There is no such withdrawal.', 'ऐसी कोई निकासी नहीं है।'),
  withdrawal_final: refusal(409, 'This withdrawal is not in a state that allows this.', 'इस निकासी के साथ अब ऐसा नहीं किया जा सकता।'),
  member_on_hold: refusal(409, "This member's account is on hold.", 'इस सदस्य का खाता रोका गया है।'),
  payouts_by_hand: refusal(
    409,
    'No payout gateway is set up: pay by hand and enter the bank reference.',
    'कोई भुगतान गेटवे नहीं है: हाथ से भुगतान करके बैंक संदर्भ लिखें।',
  ),
  payouts_by_gateway: refusal(409, 'Withdrawals are sent by the gateway here.', 'यहाँ निकासी गेटवे से भेजी जाती है।'),
  refund_not_possible: refusal(
    409,
    'This payment cannot be refunded: only the last seven days can.',
    'यह भुगतान वापस नहीं हो सकता: सिर्फ़ पिछले सात दिनों के भुगतान वापस होते हैं।',
  ),
  refund_exceeds_unused: refusal(409, 'This is more than is left of this payment.', 'यह राशि इस भुगतान की बची हुई राशि से ज़्यादा है।'),
  refund_not_found: refusal(404, 'There is no such refund.', 'ऐसा कोई रिफ़ंड नहीं है।'),
  refund_final: refusal(409, 'This refund is not in a state that allows this.', 'इस रिफ़ंड के साथ अब ऐसा नहीं किया जा सकता।'),
  suspense_not_found: refusal(404, 'There is no such payment in suspense.', 'जाँच में ऐसा कोई भुगतान नहीं है।'),
  suspense_decided: refusal(409, 'This payment has been decided already.', 'इस भुगतान पर पहले ही निर्णय हो चुका है।'),
  suspense_no_source: refusal(
    409,
    'This money came back from a bank account: there is no payment to send it back by.',
    'ये पैसे किसी बैंक खाते से लौटे हैं: इन्हें वापस भेजने के लिए कोई भुगतान नहीं है।',
  ),
  suspense_by_wallet: refusal(409, 'Only money of a closed account is paid out by hand.', 'सिर्फ़ बंद खाते के पैसे हाथ से चुकाए जाते हैं।'),
  payment_taken_back: refusal(
    409,
    'This money has left again, to the bank or to its owner: there is nothing to give out while it stands so.',
    'ये पैसे फिर बैंक को या अपने मालिक को जा चुके हैं: जब तक ऐसा है, इनमें से कुछ नहीं दिया जा सकता।',
  ),
  payout_pending: refusal(
    409,
    'A withdrawal is still on its way. You can close your account once it has ended.',
    'एक निकासी अभी पूरी नहीं हुई है। उसके पूरा होने पर आप खाता बंद कर सकते हैं।',
  ),
  refund_pending: refusal(
    409,
    'A refund is still on its way. You can close your account once it has ended.',
    'एक रिफ़ंड अभी पूरा नहीं हुआ है। उसके पूरा होने पर आप खाता बंद कर सकते हैं।',
  ),
  round_pending: refusal(
    409,
    'A round that you joined has not ended. You can close your account once its result is out.',
    'आपका एक राउंड अभी पूरा नहीं हुआ है। उसका नतीजा आने पर आप खाता बंद कर सकते हैं।',
  ),
  money_left: refusal(
    409,
    'There is money left in your wallet. Withdraw it or give it to the help fund first.',
    'आपके वॉलेट में पैसे बचे हैं। पहले उन्हें निकालें या सहायता कोष को दें।',
  ),
  member_not_found: refusal(404, 'There is no such member.', 'ऐसा कोई सदस्य नहीं है।'),
  webhook_signature: refusal(401, 'The signature of this event does not match.', 'इस सूचना के हस्ताक्षर मेल नहीं खाते।'),
  // Rounds
  already_joined: refusal(409, "You have already joined today's round.", 'आप आज के राउंड में पहले ही शामिल हो चुके हैं।'),
  round_closed: refusal(409, "Today's round is closed. The next one opens at midnight.", 'आज का राउंड बंद हो चुका है। अगला आधी रात को खुलेगा।'),
  yearly_maximum: refusal(409, 'You have reached the yearly maximum of ₹365.', 'आप साल की अधिकतम सीमा ₹365 तक पहुँच चुके हैं।'),
  receipt_used: refusal(
    409,
    'This receipt already proves another disbursement. Each one needs a receipt of its own.',
    'यह रसीद पहले से किसी और सहायता भुगतान का प्रमाण है। हर भुगतान की अपनी रसीद चाहिए।',
  ),
  ticket_key_taken: refusal(
    409,
    'This ticket key is already in use. Please make another.',
    'यह टिकट कुंजी पहले से इस्तेमाल में है। कृपया दूसरी बनाएँ।',
  ),
  no_participants: refusal(409, 'No participants yet.', 'अभी तक कोई शामिल नहीं हुआ।'),
  round_already_closed: refusal(409, "Today's round is already closed.", 'आज का राउंड पहले ही बंद हो चुका है।'),
  draw_waiting: refusal(409, 'The draw is waiting for the public random number.', 'ड्रॉ सार्वजनिक संख्या का इंतज़ार कर रहा है।'),
  round_not_found: refusal(404, 'There is no such round.', 'ऐसा कोई राउंड नहीं है।'),
  // The log of days
  not_a_note: refusal(400, 'This is not a signed note.', 'यह हस्ताक्षरित नोट नहीं है।'),
  witness_unknown: refusal(403, 'No running day names this witness.', 'किसी चालू दिन में इस गवाह का नाम नहीं है।'),
  checkpoint_unknown: refusal(409, 'The log has signed no such checkpoint.', 'लॉग ने ऐसी कोई जाँच-मुहर नहीं दी है।'),
  cosignature_invalid: refusal(422, 'This cosignature is not valid.', 'यह सह-हस्ताक्षर मान्य नहीं है।'),
  // Stories
  story_not_found: refusal(404, 'There is no such story.', 'ऐसी कोई कहानी नहीं है।'),
  // Outside production only
  clock_step_back: refusal(
    409,
    'The clock cannot go back to before the opening of the newest open round.',
    'घड़ी सबसे नए खुले राउंड से पीछे नहीं जा सकती।',
  ),
} as const satisfies Record<string, Refusal>

export type RefusalCode = keyof typeof REFUSALS
