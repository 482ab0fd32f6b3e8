/**
 * The demo community: its members, the people it helps, and their plan by day (day 0 is the first).
 * - Everything is invented and labelled so: mail addresses end in .example, charities have "(demo)" in their names.
 */
import type { Translations } from '@roz/core/story-words.ts'
import type { ConsentWay, Guardian } from '@roz/core/help-fields.ts'
import type { Language, StoredTexts } from '@roz/core/language.ts'

export type DemoMember = {
  readonly name: string
  readonly email: string
  readonly phone: string
  readonly language: Language
  readonly joinsOnDay: number
  /** Without Auto Participate: joins by hand every this many days. */
  readonly joinsEvery?: number
  readonly isAnonymous?: boolean
  /** Rupees to add, by day. */
  readonly topups: Readonly<Record<number, number>>
  readonly withdrawal?: { readonly day: number; readonly rupees: number; readonly bank: string; readonly ifsc: string }
}

const at = (name: string): string => `${name}@demo.roz.example`

/** The member whose login is printed at the start. */
export const DEMO_EMAIL = at('asha')

/** Has no password: the demo acts for the account, and nobody signs in with it. */
export const DEMO_EDITOR = { name: 'Nisha Kulkarni', email: at('editor') } as const

export const DEMO_MEMBERS: readonly DemoMember[] = [
  { name: 'Asha Verma', email: DEMO_EMAIL, phone: '9876500001', language: 'en', joinsOnDay: 0, topups: { 0: 30, 20: 20 } },
  { name: 'Ravi Kumar', email: at('ravi'), phone: '9876500002', language: 'en', joinsOnDay: 0, topups: { 0: 20, 15: 30 } },
  { name: 'मीना शर्मा', email: at('meena'), phone: '9876500003', language: 'hi', joinsOnDay: 0, topups: { 0: 10, 9: 10, 18: 20 } },
  { name: 'Imran Khan', email: at('imran'), phone: '9876500004', language: 'en', joinsOnDay: 0, topups: { 0: 30, 24: 10 } },
  {
    name: 'Priya Nair',
    email: at('priya'),
    phone: '9876500005',
    language: 'en',
    joinsOnDay: 0,
    topups: { 0: 30, 10: 30, 26: 10 },
    withdrawal: { day: 25, rupees: 15, bank: 'Demo Bank of Kochi', ifsc: 'DEMO0000001' },
  },
  { name: 'सुरेश यादव', email: at('suresh'), phone: '9876500006', language: 'hi', joinsOnDay: 0, topups: { 0: 20, 19: 20 } },
  { name: 'Lakshmi Iyer', email: at('lakshmi'), phone: '9876500007', language: 'en', joinsOnDay: 1, topups: { 1: 30 } },
  {
    name: 'Arjun Singh',
    email: at('arjun'),
    phone: '9876500008',
    language: 'en',
    joinsOnDay: 2,
    joinsEvery: 2,
    topups: { 2: 30, 12: 10 },
    withdrawal: { day: 29, rupees: 10, bank: 'Demo Bank of Delhi', ifsc: 'DEMO0000002' },
  },
  { name: 'Fatima Sheikh', email: at('fatima'), phone: '9876500009', language: 'en', joinsOnDay: 4, topups: { 4: 30 } },
  { name: 'गीता देवी', email: at('geeta'), phone: '9876500010', language: 'hi', joinsOnDay: 6, isAnonymous: true, topups: { 6: 30 } },
  { name: 'Joseph Fernandes', email: at('joseph'), phone: '9876500011', language: 'en', joinsOnDay: 9, topups: { 9: 20, 27: 10 } },
  { name: 'Kavita Patil', email: at('kavita'), phone: '9876500012', language: 'en', joinsOnDay: 13, joinsEvery: 3, topups: { 13: 10 } },
]

/** Help from the fund: everything that is open on the evening before its story is told. */
export type DemoHelp = {
  readonly publicName: string
  readonly consent: ConsentWay
  /** The guardian who consented for a child. */
  readonly guardian?: Guardian
  readonly purpose: string
  readonly translations: StoredTexts
  /** The shop on the bill. */
  readonly shop: string
  /** The editor asks for it, so the owner approves it as the second person. */
  readonly byEditor?: true
}
export type DemoStory = {
  readonly title: string
  readonly description: string
  readonly charity: { readonly name: string; readonly description: string }
  readonly translations: Translations
  readonly videoUrl?: string
  readonly help: DemoHelp
}

/** A freely licensed short film, so nobody takes the demo's video for proof. */
const DEMO_VIDEO = 'https://www.youtube.com/watch?v=aqz-KE-bpKQ'
const VIDEO_NOTE = 'Demo video: “Big Buck Bunny”, Blender Foundation, CC BY 3.0.'
const VIDEO_NOTE_HI = 'डेमो वीडियो: “Big Buck Bunny”, Blender Foundation, CC BY 3.0।'

/** Stories by the day of their round. Less than 14 days are between two, so no day's help waits longer. */
export const DEMO_STORIES: Readonly<Record<number, DemoStory>> = {
  3: {
    title: 'Demo: notebooks for an evening school',
    description: 'An invented story of the demo community. The first days of the community bought notebooks and pencils for a schoolgirl.',
    charity: { name: 'Akshar Evening School (demo)', description: 'An invented evening school in Pune.' },
    translations: {
      hi: {
        title: 'डेमो: शाम के स्कूल के लिए कॉपियाँ',
        description: 'डेमो समुदाय की बनाई हुई कहानी। समुदाय के पहले दिनों के पैसों से एक छात्रा के लिए कॉपियाँ और पेंसिलें खरीदी गईं।',
        charityName: 'अक्षर ईवनिंग स्कूल (डेमो)',
        charityDescription: 'पुणे का एक काल्पनिक शाम का स्कूल।',
      },
    },
    help: {
      publicName: 'Tara',
      consent: 'recorded',
      guardian: 'grandparent',
      purpose: 'notebooks and pencils',
      translations: { hi: 'कॉपियाँ और पेंसिलें' },
      shop: 'Vidya Stationery (demo), Pune',
    },
  },
  10: {
    title: 'Demo: warm meals at the station',
    description: `An invented story of the demo community. A week of the community paid for warm meals.\n\n${VIDEO_NOTE}`,
    charity: { name: 'Annapurna Kitchen (demo)', description: 'An invented community kitchen in Nagpur.' },
    translations: {
      hi: {
        title: 'डेमो: स्टेशन पर गर्म खाना',
        description: `डेमो समुदाय की बनाई हुई कहानी। समुदाय के एक हफ़्ते के पैसों से गर्म खाना खिलाया गया।\n\n${VIDEO_NOTE_HI}`,
        charityName: 'अन्नपूर्णा किचन (डेमो)',
        charityDescription: 'नागपुर की एक काल्पनिक सामुदायिक रसोई।',
      },
    },
    videoUrl: DEMO_VIDEO,
    help: {
      publicName: 'A family from Nagpur',
      consent: 'witnessed',
      purpose: 'warm meals',
      translations: { hi: 'गर्म खाना' },
      shop: 'Annapurna Kitchen (demo), Nagpur',
    },
  },
  17: {
    title: 'Demo: medicine for an old neighbour',
    description: 'An invented story of the demo community. A week of the community paid for medicine.',
    charity: { name: 'Sahara Health Desk (demo)', description: 'An invented help desk for the elderly in Jaipur.' },
    translations: {
      hi: {
        title: 'डेमो: एक बुज़ुर्ग पड़ोसी की दवा',
        description: 'डेमो समुदाय की बनाई हुई कहानी। समुदाय के एक हफ़्ते के पैसों से दवा खरीदी गई।',
        charityName: 'सहारा हेल्थ डेस्क (डेमो)',
        charityDescription: 'जयपुर में बुज़ुर्गों के लिए एक काल्पनिक मदद केंद्र।',
      },
    },
    help: {
      publicName: 'Bhanu',
      consent: 'written',
      purpose: 'a week of medicine',
      translations: { hi: 'एक हफ़्ते की दवा' },
      shop: 'Sahara Pharmacy (demo), Jaipur',
      byEditor: true,
    },
  },
  24: {
    title: 'Demo: blankets before the winter',
    description: 'An invented story of the demo community. A week of the community bought blankets.',
    charity: { name: 'Garam Winter Drive (demo)', description: 'An invented winter drive in Lucknow.' },
    translations: {
      hi: {
        title: 'डेमो: जाड़े से पहले कंबल',
        description: 'डेमो समुदाय की बनाई हुई कहानी। समुदाय के एक हफ़्ते के पैसों से कंबल खरीदे गए।',
        charityName: 'गरम विंटर ड्राइव (डेमो)',
        charityDescription: 'लखनऊ का एक काल्पनिक जाड़ा अभियान।',
      },
    },
    help: {
      publicName: 'A family from Lucknow',
      consent: 'witnessed',
      purpose: 'blankets',
      translations: { hi: 'कंबल' },
      shop: 'Garam Textiles (demo), Lucknow',
    },
  },
  29: {
    title: 'Demo: school shoes for Meera',
    description: `An invented story of the demo community. The last days of the community bought school shoes for a girl of nine.\n\n${VIDEO_NOTE}`,
    charity: { name: 'Akshar Evening School (demo)', description: 'An invented evening school in Pune.' },
    translations: {
      hi: {
        title: 'डेमो: मीरा के स्कूल के जूते',
        description: `डेमो समुदाय की बनाई हुई कहानी। समुदाय के पिछले दिनों के पैसों से नौ साल की एक बच्ची के स्कूल के जूते खरीदे गए।\n\n${VIDEO_NOTE_HI}`,
        charityName: 'अक्षर ईवनिंग स्कूल (डेमो)',
        charityDescription: 'पुणे का एक काल्पनिक शाम का स्कूल।',
      },
    },
    videoUrl: DEMO_VIDEO,
    help: {
      publicName: 'Meera',
      consent: 'written',
      guardian: 'mother',
      purpose: 'school shoes',
      translations: { hi: 'स्कूल के जूते' },
      shop: 'Padam Shoe House (demo), Pune',
    },
  },
}
