/** Beneficiaries: the people whom the help fund may help, with their consent. */
import { Trans, useLingui } from '@lingui/react/macro'
import { HELPERS } from '@roz/contract/roles.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../../app/api.ts'
import { currentLanguage } from '../../../app/language.ts'
import { Button } from '../../../ui/Button.tsx'
import { Badge } from '../../../ui/Feedback.tsx'
import { formatDay, formatInstant } from '../../../ui/format.ts'
import { formatMoney } from '../../../ui/Money.tsx'
import { toast } from '../../../ui/Toast.tsx'
import { Unbroken } from '../../../ui/Unbroken.tsx'
import { RowList } from '../RowList.tsx'
import { ListHead } from '../CsvButton.tsx'
import { Decision } from '../Decision.tsx'
import { useNarrowing } from '../money/MoneyRows.tsx'
import { narrowed } from '../queries.ts'
import { useMay } from '../use-may.ts'
import { numberOf, useBeneficiaryFacts } from './beneficiary-facts.ts'
import { BeneficiaryDialog } from './BeneficiaryDialog.tsx'
import { BENEFICIARY_STATES, type Beneficiary, beneficiariesQuery, CONSENT_REFUSED, CONSENTS, GUARDIAN_NAMES } from './queries.ts'

type Open = { readonly for: 'new' } | { readonly for: 'edit' | 'revoke'; readonly beneficiary: Beneficiary }

export function Beneficiaries() {
  const { t } = useLingui()
  const mayWrite = useMay(HELPERS)
  const { narrowing, fields } = useNarrowing(BENEFICIARY_STATES, t`Search beneficiaries`, t`Public name`)
  const list = useInfiniteQuery(beneficiariesQuery(narrowing))
  const [open, setOpen] = useState<Open>()
  const close = (): void => setOpen(undefined)
  return (
    <>
      <ListHead title={t`Beneficiaries`} csv={{ of: 'beneficiariesCsv', name: 'beneficiaries', filters: narrowed(narrowing) }}>
        {mayWrite ? <Button onClick={() => setOpen({ for: 'new' })}>{t`New beneficiary`}</Button> : null}
      </ListHead>
      {fields}
      <RowList
        list={list}
        itemsOf={(page) => page.beneficiaries}
        failed={t`The beneficiaries could not be loaded.`}
        empty={t`No beneficiaries found`}
        hint={t`Add a person or a family before you send help to them.`}
      >
        {(beneficiary) => (
          <Row
            key={beneficiary.id}
            beneficiary={beneficiary}
            mayWrite={mayWrite}
            onChoose={(action) => setOpen({ for: action, beneficiary })}
          />
        )}
      </RowList>
      {open?.for === 'new' ? <BeneficiaryDialog onClose={close} /> : null}
      {open?.for === 'edit' ? <BeneficiaryDialog beneficiary={open.beneficiary} onClose={close} /> : null}
      {open?.for === 'revoke' ? <Revocation beneficiary={open.beneficiary} onClose={close} /> : null}
    </>
  )
}

type RowProps = { readonly beneficiary: Beneficiary; readonly mayWrite: boolean; readonly onChoose: (action: 'edit' | 'revoke') => void }

/** Somebody who gave no consent yet may still refuse it for good: the call is the same as for a revocation. */
function Row({ beneficiary, mayWrite, onChoose }: RowProps) {
  const { t, i18n } = useLingui()
  const { publicName: name, consent, guardian, note, revokedAt, helped, status } = beneficiary
  const number = numberOf(beneficiary)
  // Two people may have one name: their buttons have not.
  const publicName = `${name} ${number}`
  const hasRefused = status === 'revoked' && consent === null
  const state = hasRefused ? CONSENT_REFUSED : BENEFICIARY_STATES[status]
  const sum = formatMoney(helped)
  const given = consent === null ? '' : formatDay(consent.on, currentLanguage())
  const how = consent === null ? '' : i18n._(CONSENTS[consent.how])
  const by = guardian === null ? '' : i18n._(GUARDIAN_NAMES[guardian]).toLocaleLowerCase(currentLanguage())
  const until = revokedAt === null ? '' : formatInstant(revokedAt, currentLanguage())
  return (
    <li>
      <div>
        <h3>
          {name} <span className="small muted">{number}</span>
        </h3>
        {consent === null ? null : (
          <p className="small muted">
            <Unbroken text={t`Consent: ${how}, ${given}`} />
          </p>
        )}
        {guardian === null ? null : <p className="small muted">{t`Child; consent given by: ${by}`}</p>}
        {revokedAt === null ? null : (
          <p className="small warning-line">
            <Unbroken text={hasRefused ? t`Refused on ${until}.` : t`Revoked on ${until}. Their name is no longer shown.`} />
          </p>
        )}
        <p className="small muted">{t`Helped so far: ${sum}`}</p>
        {note === null ? null : <p className="small muted">{t`Private note: ${note}`}</p>}
      </div>
      <Badge tone={state.tone}>{i18n._(state.label)}</Badge>
      <div className="buttons">
        {mayWrite && status === 'waiting' ? (
          <>
            <Button kind="secondary" aria-label={t`Record consent: ${publicName}`} onClick={() => onChoose('edit')}>
              <Trans>Record consent</Trans>
            </Button>
            <Button kind="quiet" aria-label={t`Consent refused: ${publicName}`} onClick={() => onChoose('revoke')}>
              <Trans>Consent refused</Trans>
            </Button>
          </>
        ) : null}
        {mayWrite && status === 'consented' ? (
          <>
            <Button kind="secondary" aria-label={t`Edit: ${publicName}`} onClick={() => onChoose('edit')}>{t`Edit`}</Button>
            <Button kind="quiet" aria-label={t`Revoke the consent: ${publicName}`} onClick={() => onChoose('revoke')}>
              <Trans>Revoke the consent</Trans>
            </Button>
          </>
        ) : null}
      </div>
    </li>
  )
}

function Revocation({ beneficiary, onClose }: { readonly beneficiary: Beneficiary; readonly onClose: () => void }) {
  const { t } = useLingui()
  const factsOf = useBeneficiaryFacts()
  const { id, publicName, consent } = beneficiary
  const words =
    consent === null
      ? {
          title: <Trans>Did they refuse their consent?</Trans>,
          confirm: t`Record the refusal`,
          done: t`The refusal is recorded.`,
          text: <Trans>This cannot be undone. No help can be sent to them, and nothing about them is published.</Trans>,
        }
      : {
          title: <Trans>Revoke the consent?</Trans>,
          confirm: t`Revoke`,
          done: t`The consent is revoked. The public pages no longer show this name.`,
          text: (
            <Trans>
              This cannot be undone. Their stories become drafts, and their pictures and bills are no longer shown. The money stays in the
              accounts, without the name. Copies that others saved cannot be called back.
            </Trans>
          ),
        }
  return (
    <Decision
      title={words.title}
      confirm={words.confirm}
      danger
      send={() => call('updateBeneficiary', { params: { id }, body: { revoked: true } })}
      onDone={() => toast.success(words.done)}
      onClose={onClose}
    >
      <p>{publicName}</p>
      <p className="small muted">{factsOf(beneficiary)}</p>
      <p className="muted spaced">{words.text}</p>
    </Decision>
  )
}
