/** The Hindi catalogue of core and server: each text by its English in the sources. Marks in braces are kept unchanged. */
import { HI_AMOUNTS } from './hi-amounts.ts'
import { HI_HELP } from './hi-help.ts'
import { HI_MAILS } from './hi-mails.ts'
import { HI_STAFF } from './hi-staff.ts'

export const HI = {
  // Refusals
  'Please check what you entered.': 'कृपया अपनी भरी हुई जानकारी जाँचें।',
  'The request is not valid JSON.': 'यह रिक्वेस्ट सही JSON नहीं है।',
  'There is nothing at this address.': 'इस पते पर कुछ नहीं है।',
  'This address does not support that method.': 'यह पता इस तरीके से नहीं चलता।',
  'The request is too large.': 'रिक्वेस्ट बहुत बड़ी है।',
  'This content type is not supported.': 'इस तरह की सामग्री यहाँ नहीं चलती।',
  'This Idempotency-Key was used for another request.': 'रिक्वेस्ट की यह कुंजी किसी और रिक्वेस्ट में इस्तेमाल हो चुकी है।',
  'Too many attempts. Please wait a little and try again.': 'बहुत ज़्यादा कोशिशें हुईं। थोड़ी देर रुककर फिर कोशिश करें।',
  'We are very busy right now. Please try again in a moment.': 'अभी बहुत भीड़ है। थोड़ी देर में फिर कोशिश करें।',
  'The clock of our server is being corrected. No money moved. Please try again in a few minutes.':
    'हमारे सर्वर की घड़ी ठीक की जा रही है। कोई पैसा नहीं कटा। कुछ मिनट बाद फिर कोशिश करें।',
  'This server does not answer under this name.': 'यह सर्वर इस नाम पर जवाब नहीं देता।',
  'Something went wrong on our side. Please try again.': 'हमारी तरफ़ कुछ गड़बड़ हुई। कृपया फिर कोशिश करें।',
  'Please log in to continue.': 'आगे बढ़ने के लिए लॉग इन करें।',
  'You do not have access to this.': 'आपको इसकी अनुमति नहीं है।',
  'Please verify your email to continue.': 'आगे बढ़ने के लिए अपने ईमेल की पुष्टि करें।',
  'We cannot add you to a round right now. No money was taken. Please contact us.':
    'अभी हम आपको राउंड में नहीं जोड़ पा रहे हैं। आपके पैसे नहीं कटे। कृपया हमसे संपर्क करें।',
  'This is an account of the team. Please log in on the page of the team.': 'यह टीम का खाता है। कृपया टीम के पेज से लॉग इन करें।',
  'We are checking your account, so you cannot delete it yet. Please contact us.':
    'हम आपके खाते की जाँच कर रहे हैं, इसलिए उसे अभी बंद नहीं किया जा सकता। कृपया हमसे संपर्क करें।',
  'A payment of yours is disputed. You can delete your account once the bank has decided.':
    'आपके एक पेमेंट पर बैंक में विवाद चल रहा है। बैंक का फ़ैसला आने पर आप खाता बंद कर सकेंगे।',
  'Your account is suspended. Please contact us.': 'आपका खाता सस्पेंड है। कृपया हमसे संपर्क करें।',
  'Please confirm with your password.': 'कृपया अपने पासवर्ड से पुष्टि करें।',
  'An account with this email already exists.': 'इस ईमेल से एक खाता पहले से है।',
  'Invalid email or password': 'ईमेल या पासवर्ड सही नहीं है',
  'Google login failed': 'Google से लॉग इन नहीं हो पाया',
  'This email is linked to another Google account. Please log in with that one, or with your password.':
    'यह ईमेल किसी दूसरे Google खाते से जुड़ा है। कृपया उसी से या अपने पासवर्ड से लॉग इन करें।',
  'Google login is not available.': 'Google से लॉग इन अभी नहीं हो सकता।',
  'Invalid or missing verification token': 'पुष्टि का लिंक अधूरा है या सही नहीं है',
  'This verification link has expired. Please request a new one.': 'पुष्टि का यह लिंक पुराना हो गया है। कृपया नया मँगाएँ।',
  'Your email is already verified.': 'आपके ईमेल की पुष्टि पहले ही हो चुकी है।',
  'This reset link is invalid or has expired. Please request a new one.': 'यह रीसेट लिंक सही नहीं है या पुराना हो गया है। कृपया नया मँगाएँ।',
  'This link is invalid or has expired. If something is wrong with your account, set a new password and contact us.':
    'यह लिंक सही नहीं है या पुराना हो गया है। अगर आपके खाते में कुछ गड़बड़ है, तो नया पासवर्ड चुनें और हमसे संपर्क करें।',
  'That password is not correct.': 'यह पासवर्ड सही नहीं है।',
  'Please choose an image file.': 'कृपया कोई तस्वीर चुनें।',
  'The image must be 5 MB or smaller.': 'तस्वीर 5 MB या उससे छोटी होनी चाहिए।',
  'This picture has too many pixels: at most 24 megapixels, such as 6000 × 4000.':
    'इस तस्वीर में बहुत ज़्यादा पिक्सल हैं: ज़्यादा से ज़्यादा 24 मेगापिक्सल, जैसे 6000 × 4000।',
  'We cannot read HEIC pictures. Please save it as JPEG or take a screenshot of it.':
    'हम HEIC तस्वीर नहीं पढ़ सकते। कृपया उसे JPEG में सेव करें या उसका स्क्रीनशॉट लें।',
  'Insufficient balance. Please add money to your wallet.': 'बैलेंस कम है। कृपया अपने वॉलेट में पैसे जोड़ें।',
  'Insufficient balance': 'बैलेंस कम है',
  'Adding money is paused.': 'पैसे जोड़ना अभी रुका हुआ है।',
  'Withdrawals are paused.': 'पैसे निकालना अभी रुका हुआ है।',
  "We couldn't find any payment information for this order.": 'इस ऑर्डर के पेमेंट की कोई जानकारी नहीं मिली।',
  'There is no such transaction.': 'ऐसा कोई लेन-देन नहीं है।',
  'Our payment partner did not answer. Please try again.': 'हमारे पेमेंट पार्टनर से जवाब नहीं मिला। कृपया फिर कोशिश करें।',
  'There is no such withdrawal.': 'ऐसी कोई निकासी नहीं है।',
  'This withdrawal can no longer be changed this way.': 'इस निकासी के साथ अब ऐसा नहीं किया जा सकता।',
  'This changed while you had it open. Look at it again, then decide.': 'आपके देखते-देखते यह बदल गया है। दोबारा देखकर फ़ैसला करें।',
  '{name} has seen the bank account and may have paid. Only {name} can end this withdrawal, as paid or as not paid.':
    '{name} ने बैंक खाता देख लिया है और हो सकता है पैसे भेज दिए हों। अब सिर्फ़ {name} ही बता सकते हैं कि पैसे गए या नहीं गए।',
  'Open the bank account of this withdrawal first. Only the person who has seen it can end the withdrawal.':
    'पहले इस निकासी का बैंक खाता खोलकर देखें। जिसने खाता देखा है, वही बता सकता है कि पैसे गए या नहीं गए।',
  "This member's withdrawals are not on hold.": 'इस सदस्य की निकासी पर रोक नहीं है।',
  "This member's withdrawals are on hold already.": 'इस सदस्य की निकासी पहले से रुकी है।',
  'This member is suspended already.': 'यह सदस्य पहले से सस्पेंड है।',
  'This member is not suspended.': 'यह सदस्य सस्पेंड नहीं है।',
  'There is no such flag.': 'ऐसी कोई चेतावनी नहीं है।',
  'There is no such announcement.': 'ऐसी कोई घोषणा नहीं है।',
  'This announcement is over. Please make a new one.': 'यह घोषणा खत्म हो चुकी है। कृपया नई बनाएँ।',
  'There is no such message.': 'ऐसा कोई संदेश नहीं है।',
  'Re: [{ticket}] We got your message': 'Re: [{ticket}] आपका संदेश मिल गया',
  'To answer, reply to this email. Your ticket number is {ticket}.': 'जवाब देने के लिए इसी ईमेल पर लिखें। आपके संदेश का नंबर {ticket} है।',
  'Please write a note of 3 to 2,000 characters': 'कृपया 3 से 2,000 अक्षरों का नोट लिखें',
  'Please write a reply of 10 to 4,000 characters': 'कृपया 10 से 4,000 अक्षरों का जवाब लिखें',
  "This member's withdrawals are on hold.": 'इस सदस्य की निकासी रुकी है।',
  'This member owes us for a payment that the bank took back. Reject this: the held money then pays that debt.':
    'बैंक ने इस सदस्य का एक पेमेंट वापस ले लिया था, उसके पैसे अभी बाकी हैं। इसे नामंज़ूर करें: अलग रखी रकम से पहले वही चुकाया जाएगा।',
  'Please write the text in every language': 'कृपया हर भाषा में लिखें',
  'The text must be at most 200 characters': 'घोषणा ज़्यादा से ज़्यादा 200 अक्षरों की हो सकती है',
  'Please enter a page of this app, such as /wallet. Other sites are not possible.':
    'कृपया इसी ऐप का कोई पेज लिखें, जैसे /wallet। दूसरी साइट का पता नहीं दिया जा सकता।',
  'Please choose a day and a time': 'कृपया दिन और समय चुनें',
  'The end must be after the start': 'खत्म होने का समय शुरू होने के समय के बाद का होना चाहिए',
  'The end must be in the future': 'खत्म होने का समय आगे का होना चाहिए',
  'Please write the figure': 'कृपया आँकड़ा लिखें',
  'A figure must be at most 40 characters': 'आँकड़ा ज़्यादा से ज़्यादा 40 अक्षरों का हो सकता है',
  'You approved this already. Another person must approve it too.': 'आप इसे मंज़ूर कर चुके हैं। अब किसी और को भी मंज़ूर करना होगा।',
  'This money goes to you. Another person must decide.': 'ये पैसे आपको मिलने हैं। फ़ैसला किसी और को करना होगा।',
  'No payout gateway is set up: pay by hand and enter the bank reference.': 'पैसे भेजने का कोई गेटवे नहीं है: हाथ से भेजकर बैंक रेफ़रेंस लिखें।',
  'Withdrawals are sent by the gateway here.': 'यहाँ निकासी गेटवे से भेजी जाती है।',
  'This payment cannot be refunded: only payments of the last 7 days can.': 'इस पेमेंट का रिफ़ंड नहीं हो सकता: सिर्फ़ पिछले 7 दिन के पेमेंट का होता है।',
  'This is more than the unused part of this payment.': 'यह रकम इस पेमेंट के बचे हुए हिस्से से ज़्यादा है।',
  'A refund is at least ₹1, or all that is left of this payment.': 'रिफ़ंड कम से कम ₹1 का होता है, या इस पेमेंट में जितना बचा है, पूरा उतना।',
  'You have 5 refunds that are not finished. You can request another one when one of them ends.':
    'आपके 5 रिफ़ंड अभी पूरे नहीं हुए हैं। उनमें से एक पूरा होने पर आप नया माँग सकते हैं।',
  'There is no such refund.': 'ऐसा कोई रिफ़ंड नहीं है।',
  'This refund can no longer be changed this way.': 'इस रिफ़ंड के साथ अब ऐसा नहीं किया जा सकता।',
  'There is no such payment in suspense.': 'ऐसा कोई बेमेल पेमेंट नहीं है।',
  'This payment has been decided already.': 'इस पेमेंट पर फ़ैसला हो चुका है।',
  'This money came back from a bank account: it has no payment to refund.': 'ये पैसे किसी बैंक खाते से लौटे हैं: ऐसा कोई पेमेंट नहीं जिसका रिफ़ंड हो।',
  'This payment is not in rupees: it can only be sent back.': 'यह पेमेंट रुपयों में नहीं है: इसे सिर्फ़ लौटाया जा सकता है।',
  'Only money of a closed account is paid out by hand.': 'सिर्फ़ बंद खाते के पैसे हाथ से भेजे जाते हैं।',
  'This money has gone back to the bank or to its owner: there is nothing to give out now.':
    'ये पैसे बैंक को या अपने मालिक को लौट चुके हैं: अभी इनमें से कुछ नहीं दिया जा सकता।',
  'A withdrawal is not finished yet. You can delete your account after it.': 'एक निकासी अभी पूरी नहीं हुई है। उसके बाद आप खाता बंद कर सकते हैं।',
  'A refund is not finished yet. You can delete your account after it.': 'एक रिफ़ंड अभी पूरा नहीं हुआ है। उसके बाद आप खाता बंद कर सकते हैं।',
  'A round that you joined has no result yet. You can delete your account after it.':
    'आपके एक राउंड का नतीजा अभी नहीं आया है। उसके बाद आप खाता बंद कर सकते हैं।',
  'There is money in your wallet. First withdraw it or donate it to the help fund.': 'आपके वॉलेट में पैसे हैं। पहले उन्हें निकालें या मदद के फ़ंड में दान करें।',
  'There is no such member.': 'ऐसा कोई सदस्य नहीं है।',
  'The signature of this event does not match.': 'इस सूचना के हस्ताक्षर मेल नहीं खाते।',
  "You have already joined today's round.": 'आप आज के राउंड में पहले ही जुड़ चुके हैं।',
  "Today's round is closed. The next one opens at midnight.": 'आज का राउंड बंद हो चुका है। अगला रात 12 बजे खुलेगा।',
  'You have reached the yearly maximum of ₹365.': 'आप साल की सीमा ₹365 तक पहुँच चुके हैं।',
  'This receipt already proves another payment. Each payment needs its own receipts.':
    'यह रसीद पहले से किसी और पेमेंट का सबूत है। हर पेमेंट की अपनी रसीदें चाहिए।',
  'There is no such disbursement.': 'मदद का ऐसा कोई पेमेंट नहीं है।',
  'More came back than was left of this disbursement. Check the amount.': 'लौटी हुई रकम मदद के इस पेमेंट के बाकी हिस्से से ज़्यादा है। रकम जाँच लें।',
  'This ticket key is already in use. Please make another.': 'यह टिकट कुंजी पहले से इस्तेमाल में है। कृपया दूसरी बनाएँ।',
  'No members have joined yet.': 'अभी तक कोई नहीं जुड़ा।',
  "Today's round is already closed.": 'आज का राउंड पहले ही बंद हो चुका है।',
  'The round is waiting for the public random number.': 'राउंड सार्वजनिक नंबर का इंतज़ार कर रहा है।',
  'There is no such round.': 'ऐसा कोई राउंड नहीं है।',
  'This is not a signed note.': 'यह हस्ताक्षरित नोट नहीं है।',
  'No running day names this witness.': 'किसी चालू दिन में इस गवाह का नाम नहीं है।',
  'The log has signed no such checkpoint.': 'लॉग ने ऐसे किसी चेकपॉइंट पर हस्ताक्षर नहीं किए।',
  'This cosignature is not valid.': 'यह सह-हस्ताक्षर सही नहीं है।',
  'There is no such story.': 'ऐसी कोई कहानी नहीं है।',
  'This help already has a story.': 'इस मदद की कहानी पहले से है।',
  'This story was published with its help, which cannot change. Write a new story for other help.':
    'यह कहानी इसी मदद के साथ प्रकाशित हुई थी, इसलिए यही मदद जुड़ी रहेगी। दूसरी मदद के लिए नई कहानी लिखें।',
  'This story was published once, so it cannot be deleted. When unpublished, only the team can see it.':
    'यह कहानी एक बार प्रकाशित हो चुकी है, इसलिए मिटाई नहीं जा सकती। साइट से हटाने पर इसे सिर्फ़ टीम देखती है।',
  'The consent was revoked. Nothing may show this person any more.': 'सहमति वापस ले ली गई है। अब इस व्यक्ति को कहीं नहीं दिखाया जा सकता।',
  'The clock cannot go back to before the opening of the newest open round.': 'घड़ी सबसे नए खुले राउंड से पीछे नहीं जा सकती।',

  // Problems of fields about a person
  'Please fill in all fields': 'कृपया सभी फ़ील्ड भरें',
  'Name must be 2 to 100 characters': 'नाम 2 से 100 अक्षरों का होना चाहिए',
  "Name can contain only letters, spaces and . ' -": "नाम में सिर्फ़ अक्षर, खाली जगह और . ' - हो सकते हैं",
  'Name must not look like a web address. Please put a space after each dot.':
    'नाम किसी वेबसाइट के पते जैसा नहीं होना चाहिए। हर बिंदु के बाद खाली जगह छोड़ें।',
  'Please enter a valid email address': 'कृपया सही ईमेल पता लिखें',
  'Phone number is required': 'फ़ोन नंबर ज़रूरी है',
  'Please enter a valid 10-digit mobile number': 'कृपया 10 अंकों का सही मोबाइल नंबर लिखें',
  'Password must be at least 6 characters': 'पासवर्ड कम से कम 6 अक्षरों का होना चाहिए',
  'Password must be at most 128 characters': 'पासवर्ड ज़्यादा से ज़्यादा 128 अक्षरों का हो सकता है',
  'Passwords do not match': 'पासवर्ड मेल नहीं खाते',
  'This password is among the 10,000 most used ones, which are tried first. Please choose another.':
    'यह पासवर्ड सबसे ज़्यादा इस्तेमाल होने वाले 10,000 पासवर्डों में है, जो सबसे पहले आज़माए जाते हैं। कृपया कोई और चुनें।',

  // Problems of fields about money
  'Please enter an amount in rupees, with at most two decimals': 'कृपया रुपयों में रकम लिखें, दशमलव के बाद ज़्यादा से ज़्यादा दो अंक',
  'Minimum amount is ₹{n}': 'कम से कम रकम ₹{n} है',
  'Maximum amount is ₹{n}': 'ज़्यादा से ज़्यादा रकम ₹{n} है',
  'Minimum withdrawal is ₹{n}': 'कम से कम निकासी ₹{n} है',
  'Account holder name is required': 'खाताधारक का नाम ज़रूरी है',
  'Account holder name must be at least 2 characters': 'खाताधारक का नाम कम से कम 2 अक्षरों का होना चाहिए',
  'Account holder name can contain only letters and spaces': 'खाताधारक के नाम में सिर्फ़ अक्षर और खाली जगह हो सकती है',
  'Account number is required': 'खाता नंबर ज़रूरी है',
  'Account number must contain only digits': 'खाता नंबर में सिर्फ़ अंक होने चाहिए',
  'Account number must be between 9-18 digits': 'खाता नंबर 9 से 18 अंकों का होना चाहिए',
  'IFSC code is required': 'IFSC कोड ज़रूरी है',
  'IFSC code must be 11 characters': 'IFSC कोड 11 अक्षरों का होना चाहिए',
  'Invalid IFSC code format': 'IFSC कोड सही नहीं है',
  'Bank name is required': 'बैंक का नाम ज़रूरी है',
  'Bank name must be at least 3 characters': 'बैंक का नाम कम से कम 3 अक्षरों का होना चाहिए',
  'Bank name can contain only letters, spaces and & . -': 'बैंक के नाम में सिर्फ़ अक्षर, खाली जगह और & . - हो सकते हैं',
  'Please choose savings or current': 'कृपया बचत या चालू खाता चुनें',
  'Please give a reason of 3 to 500 characters': 'कृपया 3 से 500 अक्षरों में कारण लिखें',
  'This is more than the unused part of this payment': 'यह रकम इस पेमेंट के बचे हुए हिस्से से ज़्यादा है',
  'A refund is at least ₹1, or all that is left of this payment': 'रिफ़ंड कम से कम ₹1 का होता है, या इस पेमेंट में जितना बचा है, पूरा उतना',
  'Please enter the bank reference: 4 to 50 letters and digits': 'कृपया बैंक रेफ़रेंस लिखें: 4 से 50 अक्षर और अंक',

  // The way of a rupee
  'Help was sent with your rupee': 'आपके रुपये से मदद भेजी गई',
  'Help was sent with your rupees': 'आपके रुपयों से मदद भेजी गई',
  'Your {paise} paise of {day}: {purpose} for {helped}, with {others} others.':
    '{day} के आपके {paise} पैसे: {helped} के लिए {purpose}, {others} और सदस्यों के साथ।',
  'Your {paise} paise of {day}: {purpose} for {helped}, with 1 other.':
    '{day} के आपके {paise} पैसे: {helped} के लिए {purpose}, 1 और सदस्य के साथ।',
  'Your {paise} paise of {day}: {purpose} for {helped}.': '{day} के आपके {paise} पैसे: {helped} के लिए {purpose}।',
  '{sum} of your rupees, from {days} days, paid for: {purpose} for {helped}.':
    '{days} दिनों के आपके रुपयों में से {sum} यहाँ खर्च हुए: {helped} के लिए {purpose}।',
  '{paise} paise': '{paise} पैसे',
  'It paid for {purpose}. See the story and the receipt.': 'इससे {purpose} का खर्च चुकाया गया। कहानी और रसीद देखें।',
  'Your rupee helped: {purpose} for {helped}': 'आपके रुपये से मदद: {helped} के लिए {purpose}',
  'Part of one of your rupees paid for {purpose} for {helped}. Read the story and see the receipt.':
    'आपके एक रुपये के हिस्से से {helped} के लिए {purpose} का खर्च चुकाया गया। कहानी पढ़ें और रसीद देखें।',
  'One more story shows help from your rupees.': 'एक और कहानी आपके रुपयों से हुई मदद दिखाती है।',
  '{more} more stories show help from your rupees.': '{more} और कहानियाँ आपके रुपयों से हुई मदद दिखाती हैं।',
  'See where your rupees went': 'देखें, आपके रुपये कहाँ गए',

  // The draft of a story
  'Daily impact of {day}': '{day} का असर',
  '1 member put one rupee into the round of {day}. {amount} of it was set aside for people in need.':
    '{day} के राउंड में 1 सदस्य ने एक रुपया दिया। इसमें से {amount} ज़रूरतमंदों के लिए अलग रखे गए।',
  '{members} members put one rupee each into the round of {day}. {amount} of it was set aside for people in need.':
    '{day} के राउंड में {members} सदस्यों ने एक-एक रुपया दिया। इसमें से {amount} ज़रूरतमंदों के लिए अलग रखे गए।',
  'The charity for this day has not been selected yet.': 'इस दिन की संस्था अभी चुनी नहीं गई है।',

  // Problems of the fields of a story
  'Title is required': 'शीर्षक ज़रूरी है',
  'Title must be at most 200 characters': 'शीर्षक ज़्यादा से ज़्यादा 200 अक्षरों का हो सकता है',
  'Description is required': 'विवरण ज़रूरी है',
  'Description must be at most 5,000 characters': 'विवरण ज़्यादा से ज़्यादा 5,000 अक्षरों का हो सकता है',
  'Charity name is required': 'संस्था का नाम ज़रूरी है',
  'Charity name must be at most 200 characters': 'संस्था का नाम ज़्यादा से ज़्यादा 200 अक्षरों का हो सकता है',
  'Charity description is required': 'संस्था का विवरण ज़रूरी है',
  'Invalid YouTube URL': 'YouTube लिंक सही नहीं है',
  'Please enter a valid URL': 'कृपया सही लिंक लिखें',
  'Choose a day and a time': 'दिन और समय चुनें',
  'Choose a time in the future': 'आगे का समय चुनें',
  'This story is already published': 'यह कहानी पहले से प्रकाशित है',
  'Pictures may only come from sites that are set up for them': 'तस्वीर सिर्फ़ उन साइटों से आ सकती है, जो इसके लिए तय हैं',

  // Problems of other fields of calls
  'This field is not known.': 'यह फ़ील्ड यहाँ नहीं चलता।',
  'This value has the wrong type.': 'यहाँ लिखी चीज़ सही प्रकार की नहीं है।',
  'Message must be 10 to 4,000 characters': 'संदेश 10 से 4,000 अक्षरों का होना चाहिए',
  'Please choose one of the listed values': 'कृपया सूची में से चुनें',
  'At most 50 at once': 'एक बार में ज़्यादा से ज़्यादा 50',
  'A ticket key is 64 lower-case hex digits': 'टिकट कुंजी 64 छोटे हेक्स अंकों की होती है',
  'This is not a push subscription of a browser': 'यह किसी ब्राउज़र की पुश सब्सक्रिप्शन नहीं है',
  'The push service of this browser is not supported': 'इस ब्राउज़र की पुश सेवा यहाँ नहीं चलती',
  'This page cursor is not valid': 'पेज का यह निशान सही नहीं है',
  'The limit is 1 to 100': 'सीमा 1 से 100 तक है',
  'A day is written YYYY-MM-DD': 'दिन इस रूप में लिखें: 2026-11-21',
  'A time is written in ISO 8601 with its offset': 'समय ISO 8601 में, अंतर सहित लिखें',

  // Notices
  'Payment being checked': 'पेमेंट की जाँच हो रही है',
  'A payment of {amount} does not fit your order: it came twice, late or with another amount. We add it to your wallet or send it back.':
    '{amount} का एक पेमेंट आपके ऑर्डर से मेल नहीं खाता: वह दो बार, देर से या दूसरी रकम का आया। हम इसे आपके वॉलेट में जोड़ेंगे या वापस भेजेंगे।',
  "You're in": 'आप जुड़ गए',
  'Auto Participate joined you to the round of {day} for ₹1.': 'ऑटो-जॉइन ने आपको {day} के राउंड में जोड़ा (₹1)।',
  'Your balance is low': 'आपका बैलेंस कम है',
  'Your wallet has {balance} left. Each round takes ₹1.': 'आपके वॉलेट में {balance} बचे हैं। हर राउंड में ₹1 लगता है।',
  'You missed the round of {day}': 'आप {day} के राउंड में नहीं जुड़े',
  'Auto Participate did not join you to the round of {day}: your wallet had less than ₹1. It stays on and joins you again once your wallet has ₹1.':
    'ऑटो-जॉइन ने आपको {day} के राउंड में नहीं जोड़ा: वॉलेट में ₹1 से कम था। वह चालू है, और वॉलेट में ₹1 होने पर फिर जोड़ेगा।',
  'You have reached the yearly maximum': 'आप साल की सीमा तक पहुँच गए',
  'You have reached the yearly maximum of ₹365. Auto Participate restarts on 1 January.':
    'आप साल की सीमा ₹365 तक पहुँच चुके हैं। ऑटो-जॉइन 1 जनवरी से फिर चलेगा।',
  'Your ₹1 is back': 'आपका ₹1 वापस आ गया',
  'The round of {day} ended without a result: its public random number did not come for 30 days. Everyone who joined got ₹1 back. Yours is in your wallet.':
    '{day} के राउंड का नतीजा नहीं निकला: उसका सार्वजनिक नंबर 30 दिन तक नहीं आया। सबका ₹1 लौटाया गया। आपका ₹1 आपके वॉलेट में है।',
  'Tax of {tax} was withheld from the reward.': 'इस इनाम में से {tax} टैक्स काटा गया।',
  'You won!': 'आपकी जीत हुई!',
  'You won {amount} in the round of {day}. It is in your wallet.': '{day} के राउंड में आपने {amount} जीते। पैसे आपके वॉलेट में हैं।',
  'Money added': 'पैसे जोड़े गए',
  '{amount} was added to your wallet.': '{amount} आपके वॉलेट में जोड़े गए।',
  'Withdrawal requested': 'निकासी की रिक्वेस्ट मिली',
  'You requested a withdrawal of {amount} to the account ending in {account}.':
    'आपने अपने खाते (आखिरी अंक {account}) में {amount} की निकासी की रिक्वेस्ट की है।',
  'The amount is set aside, and processed in 24 to 48 hours.': 'रकम अलग रख दी गई है और 24 से 48 घंटे में प्रोसेस होगी।',
  'The amount is set aside, and waits until we have checked your account.': 'रकम अलग रख दी गई है, और हमारी जाँच पूरी होने तक रुकी रहेगी।',
  'Withdrawal sent': 'निकासी भेजी गई',
  '{amount} was sent to your account ending in {account}.': '{amount} आपके खाते (आखिरी अंक {account}) में भेजे गए।',
  'Withdrawal returned': 'निकासी लौट आई',
  'Your withdrawal of {amount} did not go through. The money is back in your wallet.':
    '{amount} की निकासी नहीं हुई। पैसे आपके वॉलेट में वापस आ गए हैं।',
  'Withdrawal rejected': 'निकासी नामंज़ूर हुई',
  'Your withdrawal of {amount} was rejected. The money is back in your wallet.': '{amount} की निकासी नामंज़ूर हुई। पैसे आपके वॉलेट में वापस आ गए हैं।',
  'Reason: {reason}': 'कारण: {reason}',
  '{paid} of it paid what you owed.': 'इनमें से {paid} से आपका बकाया चुकाया गया।',
  'Refund sent': 'रिफ़ंड भेजा गया',
  '{amount} was sent to your original payment method. Your bank may take a few days.':
    '{amount} उसी तरीके से वापस भेजे गए जिससे आपने पेमेंट किया था। आपके बैंक को कुछ दिन लग सकते हैं।',
  'Refund returned': 'रिफ़ंड लौट आया',
  'Your refund of {amount} did not go through. The money is back in your wallet.': '{amount} का रिफ़ंड नहीं हुआ। पैसे आपके वॉलेट में वापस आ गए हैं।',
  'Refund rejected': 'रिफ़ंड नामंज़ूर हुआ',
  'Your refund of {amount} was rejected. The money is back in your wallet.': '{amount} का रिफ़ंड नामंज़ूर हुआ। पैसे आपके वॉलेट में वापस आ गए हैं।',
  'Payment added': 'पेमेंट जुड़ गया',
  'A payment of {amount} was checked and is now in your wallet.': '{amount} के पेमेंट की जाँच हो गई, और पैसे अब आपके वॉलेट में हैं।',
  'Payment disputed': 'पेमेंट पर विवाद',
  'A payment is disputed. We took back {amount} from your wallet until the bank decides.':
    'एक पेमेंट पर विवाद है। बैंक का फ़ैसला आने तक हमने आपके वॉलेट से {amount} वापस लिए हैं।',
  'Payment taken back': 'पेमेंट वापस लिया गया',
  'You owe for a payment': 'एक पेमेंट के पैसे बाकी हैं',
  'The bank took back a payment, and your wallet was {amount} short. Money that you get here, except what you add yourself, goes towards this first.':
    'बैंक ने एक पेमेंट वापस ले लिया और आपके वॉलेट में {amount} कम पड़ गए। आपके अपने जोड़े हुए पैसों को छोड़कर, यहाँ जो पैसे आपको मिलेंगे, उनसे पहले यही चुकाया जाएगा।',
  'Disputed payment returned': 'विवाद वाले पैसे लौट आए',
  'The bank returned a disputed payment. {amount} is back in your wallet.': 'बैंक ने विवाद वाला पेमेंट लौटा दिया। {amount} आपके वॉलेट में वापस हैं।',
  'You no longer owe for a payment': 'एक पेमेंट के पैसे अब बाकी नहीं',
  'The bank returned a disputed payment. You no longer owe {amount} for it.':
    'बैंक ने विवाद वाला पेमेंट लौटा दिया। इसके {amount} अब आपको नहीं चुकाने हैं।',

  // Push messages
  'The result is in': 'नतीजा आ गया',
  'The draw of {day} is done. See who won and what is set aside for people in need.':
    '{day} का ड्रॉ हो गया। देखें कौन जीता और ज़रूरतमंदों के लिए कितना अलग रखा गया।',
  'The round of {day} is complete. See what is set aside for people in need.':
    '{day} का राउंड पूरा हुआ। देखें कि ज़रूरतमंदों के लिए कितना अलग रखा गया।',

  // Names
  'A member': 'एक सदस्य',

  // Links sent by mail
  'Your email is verified. You can log in now.': 'आपके ईमेल की पुष्टि हो गई है। अब आप लॉग इन कर सकते हैं।',
  'We have sent the verification email again. Please check your inbox.': 'हमने पुष्टि का ईमेल फिर से भेजा है। कृपया अपना इनबॉक्स देखें।',
  'If there is an account with this email, we have sent a link to set a new password.':
    'अगर इस ईमेल से कोई खाता है, तो हमने नया पासवर्ड चुनने का लिंक भेज दिया है।',
  'Your password is changed. Please log in with the new one.': 'आपका पासवर्ड बदल गया है। कृपया नए पासवर्ड से लॉग इन करें।',

  // Closing an account
  'Nothing is left in your wallet. You can delete your account now.': 'आपके वॉलेट में कुछ नहीं बचा है। अब आप अपना खाता बंद कर सकते हैं।',
  'Withdrawal of {amount} requested. Once it is paid you can delete your account.':
    '{amount} की निकासी की रिक्वेस्ट हो गई। पूरी होने के बाद आप अपना खाता बंद कर सकते हैं।',
  'Thank you. You donated {amount} to the help fund. You can delete your account now.':
    'धन्यवाद। आपने मदद के फ़ंड में {amount} दान किए। अब आप अपना खाता बंद कर सकते हैं।',

  // The draw by hand
  'Draw triggered successfully!': 'ड्रॉ हो गया!',
  'The round is closed, and the money is divided.': 'राउंड बंद हो गया, और पैसे बाँट दिए गए।',
  'The round is closed and waits for its public random number. Then the money is divided by itself.':
    'राउंड बंद हो गया है और सार्वजनिक नंबर का इंतज़ार है। उसके बाद पैसे अपने-आप बँटेंगे।',
  'The round is closed and waits for its public random number. The draw follows by itself.':
    'राउंड बंद हो गया है और सार्वजनिक नंबर का इंतज़ार है। ड्रॉ अपने-आप होगा।',

  // Transactions of a wallet
  Booking: 'लेन-देन',
  'Joined the round of {day}': '{day} के राउंड में जुड़े',
  'Adding money': 'पैसे जोड़ना',
  'Payment added after a check': 'जाँच के बाद पेमेंट जुड़ा',
  'Reward from the round of {day}': '{day} के राउंड का इनाम',
  'Returned from the round of {day}': '{day} के राउंड से लौटा',
  'Donation to the help fund': 'मदद के फ़ंड को दान',
  'Withdrawal to {bank}': '{bank} में निकासी',
  'Withdrawal to {bank} returned': '{bank} की निकासी लौट आई',
  'Withdrawal to {bank} returned by the bank': '{bank} की निकासी बैंक ने लौटाई',
  'Refund to your original payment method': 'उसी तरीके से रिफ़ंड जिससे पेमेंट हुआ था',
  'Refund returned by the bank': 'बैंक ने रिफ़ंड लौटाया',
  'Payment taken back by the bank': 'बैंक ने पेमेंट वापस लिया',
  'Payment returned by the bank': 'बैंक ने पेमेंट लौटाया',
  'Paid for a payment the bank took back': 'बैंक के वापस लिए पेमेंट की बाकी रकम चुकाई गई',
  'Returned: what you had paid for a disputed payment': 'विवाद वाले पेमेंट के लिए चुकाई गई रकम लौटाई गई',

  // Receipts
  'Your wallet': 'आपका वॉलेट',
  'Your payment': 'आपका पेमेंट',
  'Your original payment method': 'जिस तरीके से आपने पेमेंट किया',
  'The round of {day}': '{day} का राउंड',
  '{bank}': '{bank}',
  'The help fund': 'मदद का फ़ंड',
  'Our accounts': 'हमारा हिसाब',

  ...HI_MAILS,

  // Ending optional emails by a link
  'Stop these emails?': 'ये ईमेल बंद करें?',
  'You will no longer get the weekly email, nor emails about help that your rupees paid or rounds that Auto Participate skipped. You still get emails about your money and account.':
    'हफ़्ते का ईमेल, आपके रुपयों से हुई मदद के ईमेल और उन राउंड के ईमेल, जिनमें ऑटो-जॉइन ने नहीं जोड़ा, अब नहीं आएँगे। आपके पैसों और खाते के ईमेल आते रहेंगे।',
  'Stop these emails': 'ये ईमेल बंद करें',
  'These emails are stopped': 'ये ईमेल बंद हो गए',
  'You can turn them on again in Notifications.': 'इन्हें आप “सूचनाएँ” में फिर चालू कर सकते हैं।',
  'This link is not valid': 'यह लिंक सही नहीं है',
  'You can turn these emails off in Notifications.': 'ये ईमेल आप “सूचनाएँ” में बंद कर सकते हैं।',

  // Texts of the app on a home screen
  'One rupee a day, together.': 'रोज़ एक रुपया, साथ मिलकर।',
  Wallet: 'वॉलेट',
  Impact: 'असर',
  ...HI_AMOUNTS,
  ...HI_HELP,
  ...HI_STAFF,
} as const
