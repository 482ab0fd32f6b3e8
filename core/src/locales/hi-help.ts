/** The Hindi texts of the help desk (hi.ts). */
export const HI_HELP = {
  'There is no such beneficiary.': 'ऐसा कोई लाभार्थी नहीं है।',
  'There is no recorded consent yet. Record it first.': 'अभी सहमति दर्ज नहीं है। पहले सहमति दर्ज करें।',
  'The public words contain the name of the person. Reject this, and request it without the name.':
    'सबको दिखने वाले शब्दों में मदद पाने वाले का नाम है। इसे नामंज़ूर करें और बिना नाम के फिर रिक्वेस्ट करें।',
  'There is no such entry.': 'ऐसी कोई एंट्री नहीं है।',
  'This was decided already.': 'इस पर फ़ैसला हो चुका है।',
  'You requested this. Another person must approve it.': 'इसकी रिक्वेस्ट आपने की है। मंज़ूरी किसी और को देनी होगी।',
  'A payment to this person waits for approval. It must be decided before the record changes.':
    'इस व्यक्ति के एक पेमेंट को मंज़ूरी का इंतज़ार है। रिकॉर्ड बदलने से पहले उस पर फ़ैसला होना चाहिए।',
  'You wrote or changed the record of this person. Somebody else must approve the payment.':
    'इस व्यक्ति का रिकॉर्ड आपने लिखा या बदला है। पेमेंट की मंज़ूरी किसी और को देनी होगी।',
  'You decided about this payment. Somebody else must take its proof back.': 'इस पेमेंट पर फ़ैसला आपने किया था। इसका सबूत कोई और ही हटा सकता है।',
  'There is no such receipt. Please upload it again.': 'ऐसी कोई रसीद नहीं है। कृपया इसे फिर अपलोड करें।',
  'This picture is withheld already.': 'यह फ़ोटो पहले ही रोकी जा चुकी है।',
  'Please choose a picture of the receipt, not another kind of file.': 'कृपया रसीद की फ़ोटो चुनें, किसी और तरह की फ़ाइल नहीं।',
  'The picture must be 10 MB or smaller.': 'फ़ोटो 10 MB या उससे छोटी होनी चाहिए।',
  'Please enter a name of 2 to 60 characters': 'कृपया 2 से 60 अक्षरों का नाम लिखें',
  'The public name is letters only: no numbers, phone or email address': 'सबको दिखने वाले नाम में सिर्फ़ अक्षर हों: कोई नंबर, फ़ोन या ईमेल नहीं',
  'Please give the first name only, or words such as “A family in Surat”': 'कृपया सिर्फ़ पहला नाम लिखें, या “सूरत का एक परिवार” जैसे शब्द',
  'Please say in 3 to 120 characters what the money is for': 'कृपया 3 से 120 अक्षरों में लिखें कि पैसे किस काम के हैं',
  'Everybody can read this: please leave out phone numbers, email and web addresses': 'यह सबको दिखेगा: कृपया फ़ोन नंबर, ईमेल और वेब पते न लिखें',
  'Please leave the name out: it is shown beside these words': 'कृपया नाम न लिखें: वह इन शब्दों के साथ अलग से दिखता है',
  'The day of the consent cannot be in the future': 'सहमति का दिन आगे का नहीं हो सकता',
  'Please give the day of the consent': 'कृपया सहमति का दिन बताएँ',
  'A consent that was recorded cannot be removed. To end it, press “Revoke the consent”':
    'दर्ज की गई सहमति हटाई नहीं जा सकती। उसे खत्म करने के लिए “सहमति वापस लें” दबाएँ',
  'Please say who gave the consent for the child': 'कृपया बताएँ कि बच्चे के लिए सहमति किसने दी',
  'The day of a settlement cannot be in the future': 'सेटलमेंट का दिन आगे का नहीं हो सकता',
  'This settlement is already recorded, or requested.': 'यह सेटलमेंट पहले से दर्ज है, या उसकी रिक्वेस्ट हो चुकी है।',
  'This is more than the gateway owes us. Check the amount and the fee.': 'गेटवे को हमें इतने पैसे नहीं देने हैं। रकम और फ़ीस जाँचें।',
  'A note has at most 2,000 characters': 'नोट में ज़्यादा से ज़्यादा 2,000 अक्षर हो सकते हैं',
  'Please add at least one receipt': 'कृपया कम से कम एक रसीद जोड़ें',
  'Please add at most 10 pages': 'कृपया ज़्यादा से ज़्यादा 10 पेज जोड़ें',
  'Please choose who is helped': 'कृपया चुनें कि मदद किसे मिलेगी',
  'The public words of a payment to this person contain this name. Please choose another name':
    'इस व्यक्ति के किसी पेमेंट के सबको दिखने वाले शब्दों में यह नाम है। कृपया कोई और नाम चुनें',
  'of and in at from with near for': 'का की के और व में पर से साथ पास लिए',
  'a an the one two three four five six some many old young new little small poor north south east west navi pradesh nadu':
    'एक दो तीन चार पाँच पांच छह छः कुछ कई बुज़ुर्ग बूढ़ा बूढ़ी बूढ़े युवा नया नई नए छोटा छोटी छोटे गरीब उत्तर दक्षिण पूर्व पश्चिम नवी प्रदेश नाडु',
  'family families household person people man men woman women couple widow child children boy boys girl girls baby babies':
    'परिवार परिवारों घराना व्यक्ति लोग लोगों आदमी पुरुष महिला महिलाएँ महिलाओं दंपति दंपती विधवा बच्चा बच्ची बच्चे बच्चों लड़का लड़के लड़की लड़कियाँ शिशु',
  'mother mothers father fathers parents grandmother grandfather son sons daughter daughters brother brothers sister sisters':
    'माँ मां माता पिता माता-पिता दादी दादा नानी नाना बेटा बेटे बेटी बेटियाँ भाई भाइयों बहन बहनें बहनों',
  'student students teacher teachers patient patients farmer farmers worker workers neighbour neighbours friend friends group':
    'छात्र छात्रा छात्रों विद्यार्थी शिक्षक शिक्षिका मरीज़ मरीज़ों किसान किसानों मज़दूर मज़दूरों पड़ोसी दोस्त समूह',
  'class school hostel home house shelter hospital village town city street camp':
    'कक्षा स्कूल छात्रावास घर मकान आश्रय अस्पताल गाँव गांव कस्बा शहर गली शिविर',
} as const
