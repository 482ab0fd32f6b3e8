/** The parts that a receipt and a statement of a year share, on the screen and in print. */
import { useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { brand } from '../../app/language.ts'
import { settings } from '../../app/settings.ts'
import { LogoArt } from '../../ui/Art.tsx'
import { Book, CardSection } from '../../ui/Layout.tsx'
import './receipt.css'

/** The page around a paper. Until there is one, its title and what is known of it. */
export function PaperPage({
  title,
  paper,
  missing,
  children,
}: {
  readonly title: string
  readonly paper: ReactNode
  readonly missing: ReactNode
  /** The buttons below it, which are not printed. */
  readonly children: ReactNode
}) {
  const { t } = useLingui()
  return (
    <Book title={title}>
      <CardSection when={t`Your wallet`}>
        <div className="receipt">
          {paper ?? (
            <>
              <h1>{title}</h1>
              {missing}
            </>
          )}
          <p className="buttons card-actions no-print">{children}</p>
        </div>
      </CardSection>
    </Book>
  )
}

/** The issuer's name and address. On the screen the top bar already shows the brand. */
export function Letterhead() {
  const { issuer, officeAddress, supportEmail } = settings
  const brandName = brand()
  return (
    <div className="letterhead">
      <p className="letterhead-brand">
        <LogoArt brandName={brandName} />
      </p>
      <p className="small">
        {[issuer, officeAddress, supportEmail]
          .filter((line) => line !== '' && line !== settings.brandName)
          .map((line) => (
            <span className="block" key={line}>
              {line}
            </span>
          ))}
      </p>
    </div>
  )
}
