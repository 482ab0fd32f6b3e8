/** The Hindi texts of the team (hi.ts). */
export const HI_STAFF = {
  'Please set up your authenticator app first.': 'पहले अपना ऑथेंटिकेटर ऐप सेट करें।',
  'Please enter the code of your authenticator app.': 'अपने ऑथेंटिकेटर ऐप का कोड डालें।',
  'That code is not correct, or it was used before.': 'यह कोड सही नहीं है, या पहले इस्तेमाल हो चुका है।',
  'Please use your passkey.': 'अपनी पासकी इस्तेमाल करें।',
  'You have turned off codes of the app for logging in. Please use your passkey or a recovery code.':
    'आपने लॉग इन के लिए ऐप के कोड बंद किए हैं। अपनी पासकी या रिकवरी कोड इस्तेमाल करें।',
  'The passkey was not accepted. Please try again.': 'पासकी नहीं मानी गई। फिर से कोशिश करें।',
  'This account has no passkey.': 'इस खाते में कोई पासकी नहीं है।',
  'You have 10 passkeys. Remove one first.': 'आपके पास 10 पासकी हैं। पहले एक हटाएँ।',
  'There is no such passkey.': 'ऐसी कोई पासकी नहीं है।',
  'Give the passkey a name of at most 100 characters': 'पासकी को एक नाम दें, ज़्यादा से ज़्यादा 100 अक्षरों का',
  'A passkey was added to your account. It can be used to log in.': 'आपके खाते में एक पासकी जोड़ी गई। उससे लॉग इन किया जा सकता है।',
  'A passkey was removed from your account. It no longer works.': 'आपके खाते से एक पासकी हटाई गई। वह अब नहीं चलेगी।',
  'Codes of the authenticator app no longer log in to your account. Only a passkey or a recovery code does.':
    'आपके खाते में अब ऑथेंटिकेटर ऐप के कोड से लॉग इन नहीं होगा। सिर्फ़ पासकी या रिकवरी कोड चलेगा।',
  'Codes of the authenticator app log in to your account again.': 'आपके खाते में ऑथेंटिकेटर ऐप के कोड से फिर लॉग इन होगा।',
  'An authenticator app is set up already.': 'ऑथेंटिकेटर ऐप पहले से सेट है।',
  'Please start the setup of the app again.': 'ऐप का सेटअप फिर से शुरू करें।',
  'No authenticator app is set up.': 'कोई ऑथेंटिकेटर ऐप सेट नहीं है।',
  'This is your own app. Change it under “My account”.': 'यह आपका अपना ऐप है। इसे “मेरा खाता” में बदलें।',
  'This invitation is invalid or has expired. Please request a new one.': 'यह न्योता सही नहीं है या इसका समय निकल गया। नया न्योता माँगें।',
  'There is no such open invitation.': 'ऐसा कोई खुला न्योता नहीं है।',
  'This address belongs to a member. Staff have no wallet: please use another address.':
    'यह पता किसी सदस्य का है। टीम के खाते में वॉलेट नहीं होता: कोई और पता डालें।',
  'This person is already in the team.': 'यह व्यक्ति पहले से टीम में है।',
  'This needs two persons who have had their role for 48 hours. One of them has it for less. Ask somebody else.':
    'इसके लिए ऐसे दो लोग चाहिए जिनकी भूमिका 48 घंटे से है। इनमें से एक को इससे कम समय हुआ है। किसी और से कहें।',
  'This withdrawal is not approved yet. Approve it first.': 'इस विदड्रॉल को अभी मंज़ूरी नहीं मिली है। पहले इसे मंज़ूर करें।',
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
  '{brandName}: a change in the team or its decisions': '{brandName}: टीम या उसके फ़ैसलों में बदलाव',
  'By {actor}, at {at} IST.': 'किसने: {actor}, कब: {at} IST.',
  'If this is not right, speak to the other owners at once: they can undo it.':
    'अगर यह ठीक नहीं है, तो दूसरे मालिकों से तुरंत बात करें: वे इसे पलट सकते हैं।',
  '{about} was invited to the team. Role: {detail}.': '{about} को टीम में बुलाया गया। भूमिका: {detail}।',
  '{about} accepted the invitation and is in the team now. Role: {detail}.': '{about} ने न्योता मान लिया और अब टीम में हैं। भूमिका: {detail}।',
  'The role of {about} changed. New role: {detail}.': '{about} की भूमिका बदली। नई भूमिका: {detail}।',
  '{about} was removed from the team. Reason: {detail}': '{about} को टीम से हटाया गया। वजह: {detail}',
  'The authenticator app of {about} was removed. Until a new one is set up, the password alone opens the account.':
    '{about} का ऑथेंटिकेटर ऐप हटाया गया। नया ऐप सेट होने तक खाता सिर्फ़ पासवर्ड से खुलता है।',
  'The role of the owner {about} is to change. New role: {detail}. A second owner must confirm it.':
    'मालिक {about} की भूमिका बदलने का फ़ैसला हुआ है। नई भूमिका: {detail}। इसकी पुष्टि दूसरे मालिक को करनी होगी।',
  'The owner {about} is to be removed from the team. A second owner must confirm it. Reason: {detail}':
    'मालिक {about} को टीम से हटाने का फ़ैसला हुआ है। इसकी पुष्टि दूसरे मालिक को करनी होगी। वजह: {detail}',
  'The authenticator app of the owner {about} is to be removed. A second owner must confirm it.':
    'मालिक {about} का ऑथेंटिकेटर ऐप हटाने का फ़ैसला हुआ है। इसकी पुष्टि दूसरे मालिक को करनी होगी।',
  'What was to change for the owner {about} was stopped. Nothing changed.':
    'मालिक {about} के लिए जो बदलना था, वह रोक दिया गया। कुछ नहीं बदला।',
  'A public receipt was withheld: {about}. The payment is recent, so look at it. Reason: {detail}':
    'सबको दिखने वाली एक रसीद रोकी गई: {about}। पेमेंट हाल का है, इसलिए इसे देखें। वजह: {detail}',
  'A consent was revoked, and its receipts are no longer public: {about}. Paid in the last 30 days: {detail}. Look at it.':
    'एक सहमति वापस ली गई, और उसकी रसीदें अब किसी को नहीं दिखतीं: {about}। पिछले 30 दिनों में दिया: {detail}। इसे देखें।',
} as const
