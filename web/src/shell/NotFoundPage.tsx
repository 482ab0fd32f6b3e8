/** The page for an address of the app without a screen. */
import { useLingui } from '@lingui/react/macro'
import { currentLanguage } from '../app/language.ts'
import { publicPath } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Book, CardSection } from '../ui/Layout.tsx'

export function NotFoundPage() {
  const { t } = useLingui()
  return (
    <Book title={t`We can't find this page`}>
      <CardSection when="404">
        <h1>{t`We can't find this page`}</h1>
        <p className="lead">{t`The address may be mistyped, or the page may have moved.`}</p>
        <p className="buttons load-more">
          <a className={buttonClass()} href={publicPath('home', currentLanguage())}>{t`Go to Home`}</a>
        </p>
      </CardSection>
    </Book>
  )
}
