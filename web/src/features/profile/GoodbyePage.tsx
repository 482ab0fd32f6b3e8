/** The page shown after the account was deleted. */
import { useLingui } from '@lingui/react/macro'
import { currentLanguage } from '../../app/language.ts'
import { publicPath } from '../../paths.ts'
import { Art } from '../../ui/Art.tsx'
import { buttonClass } from '../../ui/Button.tsx'
import { Book } from '../../ui/Layout.tsx'
import { TodaySection } from '../TodaySection.tsx'

export function GoodbyePage() {
  const { t } = useLingui()
  return (
    <Book title={t`Account deleted`}>
      <TodaySection>
        <Art name="stack" className="vignette goodbye" />
        <h1>{t`Account deleted`}</h1>
        <p className="lead">{t`Your account is deleted and your name is erased. Thank you for every rupee you shared.`}</p>
        <p className="buttons load-more">
          <a className={buttonClass()} href={publicPath('home', currentLanguage())}>{t`Go to Home`}</a>
        </p>
      </TodaySection>
    </Book>
  )
}
