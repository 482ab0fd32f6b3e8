/** How many people the community's help has reached, below the figures of a screen. The line is there before the first, too: nothing moves. */
import { Plural } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { homeQuery } from './queries.ts'

export function PeopleHelped() {
  const people = useQuery(homeQuery).data?.data.helped.people ?? 0
  return (
    <p className="muted under-button">
      {people === 0 ? '\u00a0' : <Plural value={people} one="# person or family was helped." other="# people and families were helped." />}
    </p>
  )
}
