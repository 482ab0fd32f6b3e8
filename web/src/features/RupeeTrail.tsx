/** Where the help share of the member's rupee of a day went, with bills, or how long it waits. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { RupeeTrail as Trail } from '@roz/contract/rupee.ts'
import { useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { currentLanguage } from '../app/language.ts'
import { publicPath } from '../paths.ts'
import { Skeleton } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { formatMoney } from '../ui/Money.tsx'
import { useServerDay } from './clock.ts'
import { langOf, OtherLanguage, TeamWords } from './OtherLanguage.tsx'
import { ReceivedLine } from './ReceivedLine.tsx'

export function RupeeTrailView({ rupee }: { readonly rupee: Trail }) {
  const { paise, others, share, waiting, days, help, back } = rupee
  const isWhole = help.length + (waiting > 0 ? 1 : 0) === 1
  return (
    <ul className="rupee-trail small">
      {help.map((part, index) => (
        <li key={index}>
          {isWhole ? (
            <Trans>
              Your {paise} paise paid for <What part={part} />
              <Plural value={others} _0="" one=", with # other" other=", with # others" />.
            </Trans>
          ) : (
            <Trans>
              {formatMoney(part.amount)} of the day's {formatMoney(share)} paid for <What part={part} />.
            </Trans>
          )}
          <ReceivedLine received={part.received} language={currentLanguage()} />
          <VoiceLine voice={part.voice} />
          <Links part={part} />
        </li>
      ))}
      {back.map((part, index) => (
        <li key={`back ${index}`}>
          <CameBack part={part} waits={waiting > 0} />
          <Links part={{ ...part, storyId: null, videoUrl: null }} />
        </li>
      ))}
      {waiting > 0 ? (
        <li>
          {isWhole ? (
            <Trans>
              Your {paise} paise have been in the help fund for <Plural value={days} one="# day" other="# days" />.
            </Trans>
          ) : (
            <Trans>
              {formatMoney(waiting)} of the day's {formatMoney(share)} has been in the help fund for{' '}
              <Plural value={days} one="# day" other="# days" />.
            </Trans>
          )}
        </li>
      ) : null}
    </ul>
  )
}

type Part = Trail['help'][number]

/** The start of what the person said last; the link “Story” has the rest. */
function VoiceLine({ voice }: Pick<Part, 'voice'>) {
  if (!voice) return null
  const { weeks, words, isWhole, language } = voice
  const reader = currentLanguage()
  return (
    <span className="block">
      <Plural value={weeks} one="# week later" other="# weeks later" />:{' '}
      <q lang={langOf(language, reader)}>{isWhole ? words : `${words}…`}</q>
      <OtherLanguage text={language} reader={reader} />
    </span>
  )
}

function What({ part: { purpose: text, language, name } }: { readonly part: Pick<Part, 'purpose' | 'language' | 'name'> }) {
  if (text === '') return <Trans>help</Trans>
  const purpose = <TeamWords text={text} language={language} reader={currentLanguage()} />
  return name === null ? (
    purpose
  ) : (
    <Trans>
      {purpose} for {name}
    </Trans>
  )
}

function CameBack({ part, waits }: { readonly part: Trail['back'][number]; readonly waits: boolean }) {
  const amount = formatMoney(part.amount)
  const on = formatDay(part.on, currentLanguage())
  const why =
    part.purpose === '' ? null : (
      <>
        : <TeamWords text={part.purpose} language={part.language} reader={currentLanguage()} />
      </>
    )
  return waits ? (
    <Trans>
      {amount} of help came back on {on} and waits again{why}.
    </Trans>
  ) : (
    <Trans>
      {amount} of help came back on {on}
      {why}.
    </Trans>
  )
}

type Linked = Pick<Part, 'receipts' | 'storyId' | 'videoUrl' | 'on'>

function Links({ part: { receipts, storyId, videoUrl, on } }: { readonly part: Linked }) {
  const { t } = useLingui()
  const language = currentLanguage()
  // The books of a day are published once it is over.
  const isChecked = on < useServerDay()
  const links: (readonly [label: string, href: string])[] = receipts.map((hash, index) => [
    receipts.length === 1 ? t`Bill` : t`Bill ${index + 1}`,
    `/api/receipts/${hash}`,
  ])
  if (storyId !== null) links.push([videoUrl === null ? t`Story` : t`Video`, `${publicPath('impactStories', language)}/${storyId}`])
  if (isChecked) links.push([t`Check it`, `${publicPath('verify', language)}/${on}`])
  return (
    <span className="round-links">
      {links.map(([label, href]) => (
        <a key={href} className="tap" href={href}>
          {label}
        </a>
      ))}
      {isChecked ? null : <span className="tap muted">{t`Can be checked tomorrow`}</span>}
    </span>
  )
}

/** The same for a day of its own screen; nothing for a day without an entry. */
export function OwnRupee({ day }: { readonly day: string }) {
  const today = useServerDay()
  const { data, isPending } = useQuery({
    queryKey: ['mine', 'rupee', day],
    queryFn: ({ signal }) => call('userRupee', { params: { day }, signal }),
    retry: false,
  })
  // About as high as what follows.
  if (isPending && day < today) return <Skeleton lines={2} />
  return data?.rupee ? <RupeeTrailView rupee={data.rupee} /> : null
}
