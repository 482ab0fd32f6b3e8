/** A quiet line about the days given: the newest milestone with a card to share, and the weeks with five days. Nothing before ten days. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { pictureOfMilestone } from '@roz/core/milestones.ts'
import { formatCount } from '@roz/core/numbers.ts'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { brand, currentLanguage } from '../app/language.ts'
import { pictureOf, publicPath } from '../paths.ts'
import { NotLoaded } from '../ui/Feedback.tsx'
import { formatDay } from '../ui/format.ts'
import { Share } from '../ui/Share.tsx'
import { Unbroken } from '../ui/Unbroken.tsx'

const milestonesQuery = queryOptions({ queryKey: ['mine', 'milestones'], queryFn: ({ signal }) => call('ownMilestones', { signal }) })

export function Milestones() {
  const { t } = useLingui()
  const milestones = useQuery(milestonesQuery)
  const { data } = milestones
  if (data === undefined) return <NotLoaded query={milestones} failed={t`These figures could not be loaded.`} lines={2} />
  const newest = data.reached.at(-1)
  if (newest === undefined) return null
  const language = currentLanguage()
  const days = formatCount(newest.days)
  const brandName = brand()
  const text = t`I have given one rupee on each of ${days} days with ${brandName}. Help for people in need, and every paisa public.`
  return (
    <div className="under-button">
      <p>
        <Trans>
          <strong>{days} days given</strong>, reached on <Unbroken text={formatDay(newest.on, language)} />.
        </Trans>{' '}
        {data.weeks > 0 ? <Plural value={data.weeks} one="# week with five days or more." other="# weeks with five days or more." /> : null}
      </p>
      <Share
        text={text}
        url={`${location.origin}${publicPath('home', language)}`}
        picture={pictureOf(pictureOfMilestone(newest.days), language)}
      />
    </div>
  )
}
