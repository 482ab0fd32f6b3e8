import { expect, test } from 'vitest'
import { namesPerson } from './help-fields.ts'

test.each([
  ['Meera', 'मीरा'],
  ['Mira', 'मीरा'],
  ['Kamla', 'कमला'],
  ['Kamala', 'कमला'],
  ['Ravi', 'रवि'],
  ['Sunil', 'सुनील'],
  ['Asha', 'आशा'],
  ['Gita', 'गीता'],
  ['Geeta', 'गीता'],
  ['Pooja', 'पूजा'],
  ['Deepak', 'दीपक'],
  ['Suresh', 'सुरेश'],
  ['Lakshmi', 'लक्ष्मी'],
  ['Laxmi', 'लक्ष्मी'],
  ['Zoya', 'ज़ोया'],
  ['Fatima', 'फ़ातिमा'],
  ['Krishna', 'कृष्ण'],
  ['Bharat', 'भरत'],
  ['Priya', 'प्रिया'],
  ['Sanjay', 'संजय'],
  ['Jaya', 'जया'],
  ['Saira', 'सैरा'],
  ['Chandra', 'चंद्र'],
  ['Wahida', 'वहीदा'],
  ['John', 'जॉन'],
  ['Dolly', 'डॉली'],
  ['Johnny', 'जॉनी'],
  ['Pinky', 'पिंकी'],
  ['Emma', 'ऍमा'],
  ['Ketrin', 'कॅटरिन'],
  ['Olga', 'ऑल्गा'],
  ['Champa', 'चंपा'],
  ['Champa', 'चम्पा'],
  ['Ambika', 'अंबिका'],
  ['Shambhu', 'शंभु'],
  ['Shashi', 'शशि'],
  ['Babu', 'बाबू'],
  ['Bablu', 'बबलू'],
  ['Amma', 'अम्मा'],
  ['Mamta', 'ममता'],
])('the name %s is found in public words as %s, and the other way round', (latin, devanagari) => {
  expect([namesPerson(`${devanagari} के जूते`, latin), namesPerson(`school shoes for ${latin.toUpperCase()}`, devanagari)]).toEqual([
    true,
    true,
  ])
})

test.each([
  ['Gita', 'गीत की किताब'],
  ['Ravi', 'रविवार का राशन'],
  ['Meera', 'मेरा स्कूल'],
  ['Tara', 'तार'],
  ['Raji', 'सर्दी के लिए रजाई'],
  ['Mata', 'ममता'],
  ['Bablu', 'बाबूलाल'],
  // Too short to be told from other words.
  ['Raj', 'राज'],
  // Another script is not compared.
  ['Meera', 'মীরা'],
  ['Meera', 'स्कूल के जूते और बस्ता'],
])('the name %s is not found in “%s”', (name, words) => {
  expect(namesPerson(words, name)).toBe(false)
})

const NAMES = 'Asha Kamla Ram Sita Lata Meena Babu Shashi Gita Suraj Jyoti Kishan Mamta John Dolly Champa Ambika Raji'.split(' ')
const NAMES_IN_DEVANAGARI = 'आशा कमला राम सीता लता मीना बाबू शशि गीता सूरज ज्योति किशन ममता जॉन डॉली चंपा अंबिका राजी'.split(' ')
test.each([
  'किसान के लिए बीज और खाद',
  'माता की दवा और जाँच',
  'शहर तक बस का किराया',
  'एक महीने का राशन: आटा, दाल, चावल, नमक',
  'सर्दी के लिए कंबल, रजाई और शॉल',
  'बच्चों की कॉपी, किताबें और बस्ता',
  'जुलाई का किराया और बिजली का बिल',
  'आँख का ऑपरेशन और चश्मा',
  'कॉलेज की फ़ीस, आधे साल की',
  'सिलाई मशीन की मरम्मत',
  'आराम के लिए गद्दा और चटाई',
  'डॉक्टर की सलाह और एक्स-रे',
  'गैस सिलेंडर और चूल्हा',
  'बेटी की पढ़ाई: वर्दी और जूते',
  'छत की मरम्मत: सीमेंट, ईंट, लोहा',
  'गाँव के स्कूल में दोपहर का भोजन',
  'अस्पताल में दो रातें और खाना',
  'मच्छरदानी, साबुन और पानी की टंकी',
  'दुकान के लिए ठेला और तराज़ू',
  'दूध, अंडे और फल, तीन हफ़्ते के लिए',
  'Rice, dal and oil for one month',
  'School fees for the second half of the year',
  'Medicine for 30 days, and a blood test',
  'Rent for July and the electricity bill',
  'Seeds and tools for a farmer near the city',
  'A warm blanket, a quilt and a shawl',
  'Repair of a roof after the rain',
  'Bus fare to the hospital and back, many times',
  'Books, bags and shoes for two children',
  'A sewing machine, so that she can sit and earn at home',
  'Late fee of the gas cylinder, and a stove',
  'Baby food, milk and a cot for a mother',
])('no common name is found in “%s”', (words) => {
  expect([...NAMES, ...NAMES_IN_DEVANAGARI].filter((name) => namesPerson(words, name))).toEqual([])
})

test.each([
  ['Kishan', 'किसान के लिए बीज', 'किशन के लिए बीज'],
  ['Mamta', 'माता की दवा', 'ममता की दवा'],
  ['Sahar', 'शहर तक का किराया', 'सहर का किराया'],
  ['Rashid', 'दवा की रसीद', 'राशिद की दवा'],
  ['Bharti', 'अस्पताल में भर्ती', 'भारती की दवा'],
  ['Karan', 'बाढ़ के कारण', 'करण की दवा'],
  ['Beena', 'बिना ब्याज', 'बीना की दवा'],
  ['Kali', 'खाली बोतल', 'काली की दवा'],
  ['Kala', 'काला बस्ता', 'कला का बस्ता'],
  ['Aisha', 'ऐसा बस्ता', 'ऐशा का बस्ता'],
  ['जूली', 'Rent for July', 'Rent for Juli'],
])('a listed word that sounds like %s is not the name: “%s”, but “%s”', (name, ordinary, naming) => {
  expect([namesPerson(ordinary, name), namesPerson(naming, name)]).toEqual([false, true])
})
test('a listed word that is the whole name is found by its letters', () => {
  expect(namesPerson('किसान के लिए बीज', 'किसान')).toBe(true)
})

test('words of one script are compared by their letters alone', () => {
  expect(namesPerson('Mira', 'Meera')).toBe(false)
  expect(namesPerson('मिरा', 'मीरा')).toBe(false)
})
