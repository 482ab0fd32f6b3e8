/** The words of the public pages that editors change: two marketing figures and the How it works video. Other roles read them. */
import { useLingui } from '@lingui/react/macro'
import { EDITORS } from '@roz/contract/roles.ts'
import { siteFigure } from '@roz/core/site-fields.ts'
import { videoUrl } from '@roz/core/story-fields.ts'
import { useQuery } from '@tanstack/react-query'
import * as z from 'zod/mini'
import { ApiError, call, messageOf } from '../../../app/api.ts'
import { queryClient } from '../../../app/query.ts'
import { Button } from '../../../ui/Button.tsx'
import { Fact, NotLoaded } from '../../../ui/Feedback.tsx'
import { TextField } from '../../../ui/Field.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { registered, useRules, whenValid } from '../../forms.ts'
import { type SiteWords, siteQuery } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { portalError } from '../portal-form-errors.ts'

const rules = z.object({ people: siteFigure, contributors: siteFigure, howItWorksVideo: videoUrl })

export function Site() {
  const { t } = useLingui()
  const site = useQuery(siteQuery)
  const mayEdit = useMay(EDITORS)
  return (
    <>
      <h2 className="spaced">{t`Site`}</h2>
      <p className="muted spaced">{t`The home page shows these figures and this video to everybody. A change shows at once.`}</p>
      {site.data === undefined ? (
        <NotLoaded query={site} failed={t`The words of the site could not be loaded.`} lines={3} />
      ) : mayEdit ? (
        <SiteForm site={site.data.site} />
      ) : (
        <SiteFacts site={site.data.site} />
      )}
    </>
  )
}

function SiteForm({ site }: { readonly site: SiteWords }) {
  const { t } = useLingui()
  const form = useRules<SiteWords>(rules, site)
  const { isSubmitting } = form.formState
  const save = whenValid(form, portalError, async (body) => {
    try {
      const answer = await call('editSite', { body })
      queryClient.setQueryData(siteQuery.queryKey, answer)
      toast.success(t`Saved. The public pages show the new text.`)
    } catch (error) {
      if (error instanceof ApiError)
        for (const [field, message] of Object.entries(error.fields)) if (field in site) form.setError(field as keyof SiteWords, { message })
      toast.error(messageOf(error, t`The words could not be saved.`))
    }
  })
  return (
    <form className="site-words" noValidate onSubmit={(event) => void save(event)}>
      <TextField
        label={t`People in the community`}
        hint={t`Shown exactly as written, e.g. 14,000`}
        autoComplete="off"
        {...registered(form, 'people', portalError)}
      />
      <TextField
        label={t`Contributors`}
        hint={t`Shown exactly as written, e.g. 10,000+`}
        autoComplete="off"
        {...registered(form, 'contributors', portalError)}
      />
      <TextField
        label={t`How it works video`}
        hint={t`A YouTube link. Leave empty for no video.`}
        type="url"
        autoComplete="off"
        {...registered(form, 'howItWorksVideo', portalError)}
      />
      <Button type="submit" busy={isSubmitting}>{t`Save`}</Button>
    </form>
  )
}

function SiteFacts({ site }: { readonly site: SiteWords }) {
  const { t } = useLingui()
  return (
    <dl className="facts-list">
      <Fact label={t`People in the community`}>{site.people}</Fact>
      <Fact label={t`Contributors`}>{site.contributors}</Fact>
      <Fact label={t`How it works video`}>{site.howItWorksVideo === '' ? t`None` : site.howItWorksVideo}</Fact>
    </dl>
  )
}
