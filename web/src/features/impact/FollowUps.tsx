/** Follow-ups below the story: the helped person's words, in their own language, and pictures, weeks after the help arrived. */
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { Story } from '@roz/contract/impact.ts'
import type { Language } from '@roz/core/language.ts'
import { langOf, OtherLanguage } from '../OtherLanguage.tsx'

type FollowUpsProps = {
  readonly story: Story
  readonly reader: Language
  /** Of its headings: below the story's title. */
  readonly level?: 'h2' | 'h3'
}

export function FollowUps({ story: { followUps }, reader, level: Title = 'h3' }: FollowUpsProps) {
  const { t } = useLingui()
  return followUps.map(({ weeks, words, language, retoldBy, translation, picture }) => (
    <section key={weeks} className="follow-up">
      <Title>
        <Plural value={weeks} one="# week later" other="# weeks later" />
      </Title>
      <blockquote lang={langOf(language, reader)}>
        <p className="pre-line">{words}</p>
      </blockquote>
      <p className="small muted">
        {retoldBy === null ? <Trans>Word for word</Trans> : <Trans>Retold by {retoldBy}</Trans>}
        <OtherLanguage text={language} reader={reader} />
      </p>
      {translation === null ? null : (
        <>
          <p className="pre-line">{translation}</p>
          <p className="small muted">{t`Translated by the team`}</p>
        </>
      )}
      {picture === null ? null : (
        <img
          src={picture.url}
          width={picture.width}
          height={picture.height}
          alt={t`Picture that the person gave with these words`}
          loading="lazy"
        />
      )}
    </section>
  ))
}
