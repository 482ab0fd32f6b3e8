/** The Hindi texts of the team (hi.ts). */
export const HI_STAFF = {
  'Please set up your authenticator app first.': 'पहले अपना ऑथेंटिकेटर ऐप सेट करें।',
  'Please enter the code of your authenticator app.': 'अपने ऑथेंटिकेटर ऐप का कोड डालें।',
  'That code is not correct, or it was used before.': 'यह कोड सही नहीं है, या पहले इस्तेमाल हो चुका है।',
  'An authenticator app is set up already.': 'ऑथेंटिकेटर ऐप पहले से सेट है।',
  'Please start the setup of the app again.': 'ऐप का सेटअप फिर से शुरू करें।',
  'No authenticator app is set up.': 'कोई ऑथेंटिकेटर ऐप सेट नहीं है।',
  'This is your own app. Change it under “My account”.': 'यह आपका अपना ऐप है। इसे “मेरा खाता” में बदलें।',
  'This invitation is invalid or has expired. Please request a new one.': 'यह न्योता सही नहीं है या इसका समय निकल गया। नया न्योता माँगें।',
  'There is no such open invitation.': 'ऐसा कोई खुला न्योता नहीं है।',
  'This address belongs to a member. Staff have no wallet: please use another address.':
    'यह पता किसी सदस्य का है। टीम के खाते में वॉलेट नहीं होता: कोई और पता डालें।',
  'This person is already in the team.': 'यह व्यक्ति पहले से टीम में है।',
  'There is no such person in the team.': 'टीम में ऐसा कोई नहीं है।',
  'This is the only owner. First make somebody else an owner.': 'यही अकेला मालिक है। पहले किसी और को मालिक बनाएँ।',
  'A staff password needs at least 12 characters': 'टीम के पासवर्ड में कम से कम 12 अक्षर चाहिए',
  'Enter the 6 digits of the app': 'ऐप के 6 अंक डालें',
  'Enter the 6 digits of the app, or a recovery code': 'ऐप के 6 अंक या रिकवरी कोड डालें',
  'Your account is ready. Please log in.': 'आपका खाता तैयार है। अब लॉग इन करें।',
  'You are invited to the team of {brandName}': '{brandName} की टीम में आपका न्योता',
  '{inviter} invited you to the team of {brandName}. Choose a password, and your account is ready.':
    '{inviter} ने आपको {brandName} की टीम में बुलाया है। पासवर्ड चुनें, और आपका खाता तैयार है।',
  'Accept the invitation': 'न्योता मंज़ूर करें',
  'The link works once, for 24 hours. If you did not expect it, ignore this email.':
    'यह लिंक एक बार, 24 घंटे तक चलता है। अगर आप इसका इंतज़ार नहीं कर रहे थे, तो इस ईमेल को अनदेखा करें।',
  'Your {brandName} login code settings changed': '{brandName} में लॉग इन के कोड की सेटिंग बदली',
  'If it was not you, tell an owner of {brandName} at once.': 'अगर यह आपने नहीं किया, तो {brandName} के किसी मालिक को तुरंत बताएँ।',
  'Your authenticator app was removed, because someone on the team reset it. Set it up again when you log in.':
    'टीम के किसी व्यक्ति ने आपका ऑथेंटिकेटर ऐप हटाया है। लॉग इन करते समय इसे फिर से सेट करें।',
  'An authenticator app was set up for your account. Logging in asks for its code from now on.':
    'आपके खाते के लिए ऑथेंटिकेटर ऐप सेट हुआ। अब लॉग इन पर उसका कोड माँगा जाएगा।',
  'The authenticator app was removed from your account.': 'आपके खाते से ऑथेंटिकेटर ऐप हटा दिया गया।',
  'New recovery codes were made for your account. The old ones no longer work.': 'आपके खाते के लिए नए रिकवरी कोड बने। पुराने कोड अब नहीं चलेंगे।',
  'A recovery code was used for your account. It does not work again.': 'आपके खाते का एक रिकवरी कोड इस्तेमाल हुआ। वह दोबारा नहीं चलेगा।',
} as const
