/** Ends or resumes what a giver hears of a story: notices, push messages and mails. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, messageOf } from '../../app/api.ts'
import { Button } from '../../ui/Button.tsx'
import { toast } from '../../ui/Toast.tsx'
import { noticesQuery, storyMuteQuery } from '../queries.ts'

type MuteProps = { readonly storyId: string; readonly muted: boolean /** Names the story to a screen reader. */; readonly about: string }

export function MuteButton({ storyId, muted, about }: MuteProps) {
  const { t } = useLingui()
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: () => call('muteStory', { params: { id: storyId }, body: { muted: !muted } }),
    onSuccess: (answer) => {
      client.setQueryData(storyMuteQuery(storyId).queryKey, answer)
      toast.success(answer.muted ? t`You will hear nothing more of this story.` : t`You will hear of this story again.`)
    },
    onError: (error) => toast.error(messageOf(error, t`The change could not be saved.`)),
    onSettled: () => client.invalidateQueries({ queryKey: noticesQuery.queryKey }),
  })
  return (
    <Button
      kind="quiet"
      busy={change.isPending}
      aria-label={muted ? t`Unmute this story: ${about}` : t`Mute this story: ${about}`}
      onClick={() => change.mutate()}
    >
      {muted ? t`Unmute this story` : t`Mute this story`}
    </Button>
  )
}

/** Below a story, only for its givers. */
export function MuteStory({ storyId, title }: { readonly storyId: string; readonly title: string }) {
  const { data } = useQuery(storyMuteQuery(storyId))
  if (data?.isGiver !== true) return null
  return (
    <div className="under-button">
      <p className="small muted">
        {data.muted ? (
          <Trans>Your rupee is in this story. You hear nothing more of it.</Trans>
        ) : (
          <Trans>Your rupee is in this story. We tell you when the person is asked again.</Trans>
        )}
      </p>
      <MuteButton storyId={storyId} muted={data.muted} about={title} />
    </div>
  )
}
