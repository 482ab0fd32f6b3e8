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
  // Too short to be told from other words.
  ['Raj', 'राज'],
  // Another script is not compared.
  ['Meera', 'মীরা'],
  ['Meera', 'स्कूल के जूते और बस्ता'],
])('the name %s is not found in “%s”', (name, words) => {
  expect(namesPerson(words, name)).toBe(false)
})

test.each([
  ['Kishan', 'किसान के लिए बीज', 'किशन के लिए बीज'],
  ['Mamta', 'माता की दवा', 'ममता की दवा'],
  ['Sahar', 'शहर तक का किराया', 'सहर का किराया'],
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
