/** The Hindi texts of mails (hi.ts). */
export const HI_MAILS = {
  'Verify your email for {brandName}': '{brandName} के लिए अपने ईमेल की पुष्टि करें',
  'Hello {name},': 'नमस्ते {name},',
  'Hello,': 'नमस्ते,',
  'Questions? Write to {supportEmail}': 'कोई सवाल हो तो यहाँ लिखें: {supportEmail}',
  "Please confirm that this is your email address. Then you can join today's round.":
    'कृपया पुष्टि करें कि यह ईमेल पता आपका है। इसके बाद आप आज के राउंड में जुड़ सकते हैं।',
  'Verify my email': 'मेरे ईमेल की पुष्टि करें',
  'The link works for 24 hours. If you did not register, ignore this email.':
    'यह लिंक 24 घंटे तक चलता है। अगर आपने खाता नहीं बनाया है, तो इस ईमेल को अनदेखा करें।',
  'Reset your {brandName} password': '{brandName} खाते का पासवर्ड बदलें',
  'Someone requested a new password for your account. If it was you, choose one here:':
    'आपके खाते के लिए नया पासवर्ड माँगा गया है। अगर यह आपने माँगा है, तो यहाँ नया पासवर्ड चुनें:',
  'Choose a new password': 'नया पासवर्ड चुनें',
  'The link works once, for one hour. If you did not request it, ignore this email: nothing changes.':
    'यह लिंक एक घंटे तक, सिर्फ़ एक बार चलता है। अगर आपने नहीं माँगा, तो इस ईमेल को अनदेखा करें: कुछ नहीं बदलेगा।',
  'Your {brandName} account is secured: choose a new password': 'आपका {brandName} खाता सुरक्षित है: नया पासवर्ड चुनें',
  "On {day} at {time} IST, someone pressed the button on the page of the link “This wasn't me” in our email to you.":
    '{day} को {time} बजे (भारतीय समय) किसी ने हमारे ईमेल का लिंक “यह मैंने नहीं किया” खोलकर उस पेज का बटन दबाया।',
  'So we logged out all devices. The old password no longer works, and earlier links in our emails no longer work.':
    'इसलिए हमने सभी डिवाइस लॉग आउट कर दिए। पुराना पासवर्ड और हमारे पिछले ईमेल के लिंक अब नहीं चलेंगे।',
  'Withdrawals and refunds are stopped until we have checked your account. Your money is not touched.':
    'हमारी जाँच होने तक निकासी और रिफ़ंड रुके रहेंगे। आपके पैसे वैसे के वैसे हैं।',
  'To log in again, choose a new password here:': 'फिर से लॉग इन करने के लिए यहाँ नया पासवर्ड चुनें:',
  'The link works once, for one hour. After that, use “Forgot password?” on the login page.':
    'यह लिंक एक घंटे तक, सिर्फ़ एक बार चलता है। उसके बाद लॉग इन पेज पर “पासवर्ड भूल गए?” दबाएँ।',
  'More happened in your {brandName} account today': 'आज आपके {brandName} खाते में और भी कुछ हुआ',
  'The same thing happened in your account many times in 24 hours. We have sent you an email about the first ones, and send no more about it for now.':
    'पिछले 24 घंटे में आपके खाते में एक ही काम कई बार हुआ। शुरू के कामों का ईमेल हमने आपको भेजा है; इस बारे में फ़िलहाल और ईमेल नहीं भेजेंगे।',
  'Log in to see everything: your wallet shows each withdrawal and refund, and your profile each device that is logged in.':
    'सब कुछ देखने के लिए लॉग इन करें: वॉलेट में हर निकासी और रिफ़ंड दिखता है, और प्रोफ़ाइल में हर लॉग इन किया हुआ डिवाइस।',
  'All devices are logged out, and the old password no longer works. We have sent you an email with a link to choose a new password.':
    'सभी डिवाइस लॉग आउट कर दिए गए हैं, और पुराना पासवर्ड अब नहीं चलेगा। नया पासवर्ड चुनने का लिंक हमने आपको ईमेल कर दिया है।',
  'Welcome to {brandName}': '{brandName} में आपका स्वागत है',
  'Your email is verified. Adding money is paused right now. Until then you can see everything that happens here.':
    'आपके ईमेल की पुष्टि हो गई है। पैसे जोड़ना अभी रुका हुआ है। तब तक आप यहाँ सब कुछ देख सकते हैं।',
  "Your email is verified. Add {topupMin} to {topupMax} to your wallet and join today's round with ₹1.":
    'आपके ईमेल की पुष्टि हो गई है। अपने वॉलेट में {topupMin} से {topupMax} जोड़ें और ₹1 देकर आज के राउंड में जुड़ें।',
  'Go to your dashboard': 'अपने डैशबोर्ड पर जाएँ',
  'Your {brandName} password was changed': '{brandName} खाते का पासवर्ड बदल गया',
  'Your password was changed and all other devices were logged out.': 'आपका पासवर्ड बदल गया है, और बाकी सभी डिवाइस लॉग आउट कर दिए गए हैं।',
  "This wasn't me": 'यह मैंने नहीं किया',
  'If it was you, there is nothing to do. If not, press the button within 7 days: on its page you can log out all devices, stop withdrawals and choose a new password.':
    'अगर यह आपने ही किया है, तो कुछ करने की ज़रूरत नहीं। अगर नहीं, तो 7 दिन के अंदर बटन दबाएँ: उस पेज पर आप सभी डिवाइस लॉग आउट कर सकते हैं, निकासी रोक सकते हैं और नया पासवर्ड चुन सकते हैं।',
  'New login to your {brandName} account': '{brandName} खाते में नया लॉग इन',
  'Someone logged in to your account on {day} at {time} IST, from a new device or network.':
    '{day} को {time} बजे (भारतीय समय) किसी नए डिवाइस या नेटवर्क से आपके खाते में लॉग इन हुआ।',
  'Device: {browser} on {system}': 'डिवाइस: {system} पर {browser}',
  'Device: {browser}{system}': 'डिवाइस: {browser}{system}',
  'Device: unknown': 'डिवाइस: पता नहीं चला',
  'All devices are logged out, and withdrawals are stopped until we have checked your account. We have sent you an email with a link to choose a new password.':
    'सभी डिवाइस लॉग आउट कर दिए गए हैं, और हमारी जाँच होने तक निकासी रुकी रहेगी। नया पासवर्ड चुनने का लिंक हमने आपको ईमेल कर दिया है।',
  'Google is now linked to your {brandName} account': '{brandName} खाते से Google जुड़ गया है',
  'Someone logged in with Google for the first time, with the Google account of this email address.':
    'किसी ने पहली बार Google से लॉग इन किया, इसी ईमेल पते के Google खाते से।',
  'Your old password was removed and all other devices were logged out, so that nobody else can use them. You can keep using Google, or set a new password with “Forgot password?” on the login page.':
    'पुराना पासवर्ड हटा दिया गया है और बाकी सभी डिवाइस लॉग आउट कर दिए गए हैं, ताकि कोई और उनका इस्तेमाल न कर सके। आप Google से लॉग इन करते रह सकते हैं, या लॉग इन पेज पर “पासवर्ड भूल गए?” से नया पासवर्ड बना सकते हैं।',
  'Your {brandName} account is deleted': 'आपका {brandName} खाता बंद हो गया',
  'Your account was deleted and your name, email, phone number and picture were erased. Our public accounts keep the amounts, without your name.':
    'आपका खाता बंद हो गया है, और आपका नाम, ईमेल, फ़ोन नंबर और तस्वीर मिटा दिए गए हैं। हमारे सार्वजनिक हिसाब में रकमें रहती हैं, आपका नाम नहीं।',
  'Thank you for every rupee you shared.': 'आपके दिए हर रुपये के लिए धन्यवाद।',
  'Your {brandName} account is suspended': 'आपका {brandName} खाता सस्पेंड है',
  'We have suspended your account while we look into something. You can still log in, see everything and download your data. You cannot join rounds or move money for now.':
    'हम कुछ जाँच रहे हैं, इसलिए हमने आपका खाता सस्पेंड किया है। आप लॉग इन कर सकते हैं, सब कुछ देख सकते हैं और अपना डेटा डाउनलोड कर सकते हैं। अभी आप न राउंड में जुड़ सकते हैं, न पैसों का कोई लेन-देन कर सकते हैं।',
  'Your money stays in your wallet, and what you get meanwhile is added to it. Please write to us: we want to solve this with you.':
    'आपके पैसे आपके वॉलेट में रहते हैं, और इस बीच जो पैसे आपको मिलें, वे भी उसी में जुड़ते हैं। कृपया हमें लिखें: हम इसे आपके साथ मिलकर सुलझाना चाहते हैं।',
  'Your {brandName} account works again': 'आपका {brandName} खाता फिर चालू है',
  'Your account is no longer suspended: everything works for you as it does for other members. Thank you for your patience.':
    'आपका खाता अब सस्पेंड नहीं है: अब सब कुछ आपके लिए वैसे ही चलता है जैसे बाकी सदस्यों के लिए। धैर्य के लिए धन्यवाद।',
  'Your withdrawals are on hold': 'आपकी निकासी रोकी गई है',
  'We are checking something about your account. Until we are done, withdrawals and refunds wait. Everything else works as before.':
    'हम आपके खाते में कुछ जाँच रहे हैं। जाँच पूरी होने तक निकासी और रिफ़ंड रुके रहेंगे। बाकी सब पहले की तरह चलता है।',
  'Your balance has not changed. If you have a question, please write to us.': 'आपका बैलेंस वही है। कोई सवाल हो तो कृपया हमें लिखें।',
  'Your withdrawals are no longer on hold': 'आपकी निकासी पर अब रोक नहीं है',
  'We have finished checking your account. Your withdrawals and refunds no longer wait for it.':
    'आपके खाते की जाँच पूरी हो गई है। आपकी निकासी और रिफ़ंड अब उसके लिए नहीं रुकेंगे।',
  'Write to us': 'हमें लिखें',
  'If this was not you, please write to us at once.': 'अगर यह आपने नहीं किया, तो कृपया तुरंत हमें लिखें।',
  'Withdrawal of {amount} to a new bank account requested': 'नए बैंक खाते में {amount} की निकासी की रिक्वेस्ट मिली',
  'You requested a withdrawal of {amount} to a bank account that you have not used here before: {bank}, account ending in {account}.':
    'आपने {amount} की निकासी की रिक्वेस्ट ऐसे बैंक खाते के लिए की है जो आपने यहाँ पहले इस्तेमाल नहीं किया: {bank}, खाते के आखिरी अंक {account}।',
  'Withdrawal to a new bank account requested': 'नए बैंक खाते में निकासी की रिक्वेस्ट मिली',
  'You requested a withdrawal to a bank account that you have not used here before: {bank}, account ending in {account}.':
    'आपने निकासी की रिक्वेस्ट ऐसे बैंक खाते के लिए की है जो आपने यहाँ पहले इस्तेमाल नहीं किया: {bank}, खाते के आखिरी अंक {account}।',
  'See your wallet': 'अपना वॉलेट देखें',
  'Withdrawal of {amount} requested': '{amount} की निकासी की रिक्वेस्ट मिली',
  'Your withdrawal of {amount} was sent': '{amount} की निकासी भेजी गई',
  '{amount} was sent to your account ending in {account}. Bank reference: {reference}':
    '{amount} आपके खाते (आखिरी अंक {account}) में भेजे गए। बैंक रेफ़रेंस: {reference}',
  'Your withdrawal of {amount} was returned': '{amount} की निकासी लौट आई',
  'Your withdrawal of {amount} was rejected': '{amount} की निकासी नामंज़ूर हुई',
  'Your refund of {amount} was rejected': '{amount} का रिफ़ंड नामंज़ूर हुआ',
  'Your refund of {amount} was sent': '{amount} का रिफ़ंड भेजा गया',
  'Your refund of {amount} did not go through': '{amount} का रिफ़ंड नहीं हुआ',
  '{amount} added to your wallet': 'आपके वॉलेट में {amount} जोड़े गए',
  '{amount} was added to your wallet. Order ID: {orderId}': 'आपके वॉलेट में {amount} जोड़े गए। ऑर्डर आईडी: {orderId}',
  'This is your receipt. The unused part can be refunded within 7 days.':
    'यह आपकी रसीद है। जो हिस्सा इस्तेमाल न हो, उसका रिफ़ंड 7 दिन के अंदर मिल सकता है।',
  'You won {amount}!': 'आपने {amount} जीते!',
  'You won {amount} in the round of {day}. It is already in your wallet.': '{day} के राउंड में आपने {amount} जीते। पैसे आपके वॉलेट में आ चुके हैं।',
  'See the round': 'राउंड देखें',
  'Your week with {brandName}: {rounds} rounds': '{brandName} के साथ आपका हफ़्ता: {rounds} राउंड',
  'Your week with {brandName}: 1 round': '{brandName} के साथ आपका हफ़्ता: 1 राउंड',
  'Auto Participate joined you to {rounds} rounds from {from} to {to}, for ₹1 each.':
    'ऑटो-जॉइन ने आपको {from} से {to} तक {rounds} राउंड में जोड़ा, हर राउंड ₹1।',
  'Auto Participate joined you to 1 round from {from} to {to}, for ₹1.': 'ऑटो-जॉइन ने आपको {from} से {to} तक 1 राउंड में जोड़ा (₹1)।',
  'See your rounds': 'अपने राउंड देखें',
  'You can turn Auto Participate off at any time in your profile.': 'ऑटो-जॉइन आप अपनी प्रोफ़ाइल में कभी भी बंद कर सकते हैं।',
  '{brandName}: the accounts do not add up': '{brandName}: हिसाब नहीं मिल रहा',
  'The check of the accounts at {at} IST found errors:': '{at} (भारतीय समय) को हुई हिसाब की जाँच में गड़बड़ी मिली:',
  'Open the portal': 'पोर्टल खोलें',
  'Hold withdrawals and refunds until the cause is known. roz audit names every row.':
    'कारण पता चलने तक निकासी और रिफ़ंड रोककर रखें। roz audit हर पंक्ति बताता है।',
  '[{ticket}] Message from {name}': '[{ticket}] {name} का संदेश',
  '{name} <{email}> wrote:': '{name} <{email}> ने लिखा:',

  'Refund of {amount} requested': '{amount} के रिफ़ंड की रिक्वेस्ट मिली',
  "You requested a refund of {amount}. We'll review it soon.": 'आपके {amount} के रिफ़ंड की रिक्वेस्ट मिल गई। हम उसे जल्द देखेंगे।',
  'After approval it goes to your original payment method in 5–10 business days.':
    'मंज़ूरी के बाद पैसे 5–10 कार्य दिवस में उसी तरीके से लौटते हैं जिससे आपने पेमेंट किया था।',
  'A payment to {brandName} is disputed': '{brandName} के एक पेमेंट पर विवाद है',
  'The bank took back a disputed payment. We took {amount} from your wallet.':
    'बैंक ने विवाद वाला पेमेंट वापस ले लिया। हमने आपके वॉलेट से {amount} लिए हैं।',
  'The bank took back a payment, and your wallet was {owed} short. Money that you get here, except what you add yourself, goes towards this first.':
    'बैंक ने एक पेमेंट वापस ले लिया और आपके वॉलेट में {owed} कम पड़ गए। आपके अपने जोड़े हुए पैसों को छोड़कर, यहाँ जो पैसे आपको मिलेंगे, उनसे पहले यही चुकाया जाएगा।',
  'If you did not dispute a payment, ask your bank why it was disputed, and write to us.':
    'अगर आपने किसी पेमेंट पर विवाद नहीं किया, तो अपने बैंक से कारण पूछें और हमें लिखें।',
  'A disputed payment to {brandName} was returned': '{brandName} का विवाद वाला पेमेंट लौट आया',
  'The bank returned a disputed payment.': 'बैंक ने विवाद वाला पेमेंट लौटा दिया।',
  'You no longer owe {owed} for it.': 'इसके {owed} अब आपको नहीं चुकाने हैं।',
  'If this payment is not yours, please write to us.': 'अगर यह पेमेंट आपका नहीं है, तो कृपया हमें लिखें।',
  'Your ₹1 for {day} is back': '{day} का आपका ₹1 वापस आ गया',
  'You were not joined to the round of {day}': 'आप {day} के राउंड में नहीं जुड़े',
  'Add money': 'पैसे जोड़ें',
  '[{ticket}] We got your message': '[{ticket}] आपका संदेश मिल गया',
  'We got your message. Your ticket number is {ticket}. We answer within 1–2 business days.':
    'आपका संदेश मिल गया। आपके संदेश का नंबर {ticket} है। हम 1–2 कार्य दिवस में जवाब देते हैं।',
  'Open the help center': 'सहायता केंद्र खोलें',
  'If you did not write to us, ignore this email.': 'अगर आपने हमें नहीं लिखा, तो इस ईमेल को अनदेखा करें।',
  'If you hear nothing more within two working days, please write to us.': 'अगर दो कामकाजी दिनों में आगे कोई खबर न मिले, तो हमें लिखें।',
} as const
