/**
 * A day's draw in four pictures: tickets sealed, public number, pick, money.
 * - In the app the component gets the day's figures.
 * - A public page is rendered without figures, and its script fills them in (web/src/public/verify-drawing.ts).
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { createContext, useContext } from 'react'
import { Art, Seal } from './Art.tsx'
import type { Condition, DrawnDay, FigureName } from './draw-figures.ts'
import { LedgerRow } from './Split.tsx'

const Drawn = createContext<DrawnDay | undefined>(undefined)

/** A figure, or an empty element that the script fills in. */
function Figure({ name, as: Tag = 'b' }: { readonly name: FigureName; readonly as?: 'b' | 'span' | 'code' }) {
  const drawn = useContext(Drawn)
  const className = name === 'root' || name === 'randomness' ? 'hash' : undefined
  return drawn === undefined ? <Tag className={className} data-fill={name} /> : <Tag className={className}>{drawn.figures[name]}</Tag>
}

/** The attributes of an element that a condition shows. `hidden` is its state until the script has evaluated the condition. */
function useOnlyIf() {
  const drawn = useContext(Drawn)
  return (name: Condition, hidden = true) => (drawn === undefined ? { 'data-if': name, hidden } : { hidden: !drawn.conditions[name] })
}

/** In place of a ticket's code, which the pictures do not have. */
const HIDDEN = '······'

const RING = 'M30 12C120 2 300 1 372 10c30 6 28 34-4 41C290 62 90 60 26 50 0 44 2 22 40 9'

/** Where rounds have no draw, the day's data decide first. */
function DrawTitle() {
  const { t } = useLingui()
  const onlyIf = useOnlyIf()
  return (
    <>
      <h2 {...onlyIf('picked')}>{t`How the draw worked`}</h2>
      <h2 {...onlyIf('nobody')}>{t`How the round was shared`}</h2>
    </>
  )
}

/** `several`: the rounds of today's settings have more than one winner; a known day has its own number. */
export function DrawStory({ drawn, several = false }: { readonly drawn?: DrawnDay; readonly several?: boolean }) {
  return (
    <Drawn value={drawn}>
      <DrawTitle />
      <Pictures several={drawn === undefined ? several : drawn.winners.length > 1} />
    </Drawn>
  )
}

function Pictures({ several }: { readonly several: boolean }) {
  const { t } = useLingui()
  const onlyIf = useOnlyIf()
  return (
    <>
      <p className="assurance">
        <span className="badge ok whole" {...onlyIf('sealed')}>
          <Trans>Outsiders confirmed this list in time. We could have chosen the winner only together with them.</Trans>
        </span>
        <span className="badge wait" {...onlyIf('demo')}>
          {several
            ? t`Demo draw — the operator could have chosen these winners`
            : t`Demo draw — the operator could have chosen this winner`}
        </span>
        <span className="badge wait" {...onlyIf('unwitnessed')}>
          <Trans>No outsider confirmed this list in time; we could have changed it.</Trans>
        </span>
      </p>
      <p className="lead" {...onlyIf('void')}>{t`That day has no result. Everyone who joined got ₹1 back.`}</p>
      <ol className="draw-story" {...onlyIf('drawn', false)}>
        <ListClosed />
        <PublicNumber />
        <Pick />
        <MoneyStep />
      </ol>
    </>
  )
}

function ListClosed() {
  const { t } = useLingui()
  return (
    <li>
      <div className="picture tickets" aria-hidden="true">
        {[1, 2, 3, 4].map((line) => (
          <span key={line}>
            <b>{line}</b>
            {HIDDEN}
          </span>
        ))}
        <Seal word={t`Closed`} />
      </div>
      <h3>{t`1. The list is closed`}</h3>
      <p>
        <Trans>
          The list has <Figure name="entries" /> entries, without names. Its fingerprint was fixed at <Figure name="sealedAt" />: change one
          entry, and the fingerprint changes.
        </Trans>
      </p>
      <Figure name="root" as="code" />
    </li>
  )
}

function PublicNumber() {
  const { t } = useLingui()
  const onlyIf = useOnlyIf()
  return (
    <li {...onlyIf('picked')}>
      <div className="picture wait-for" aria-hidden="true">
        <Seal word="✓" />
        <span className="dash" {...onlyIf('beacon', false)}>{t`15 minutes`}</span>
        <span className="dash" {...onlyIf('local')} />
        <Art name="coin" className="number-coin" />
      </div>
      <h3>{t`2. A random number comes`}</h3>
      <p {...onlyIf('beacon', false)}>
        <Trans>
          From a public source that many independent groups run together (drand, round <Figure name="round" />
          ). When the list was closed, it did not exist yet.
        </Trans>
      </p>
      <p {...onlyIf('local')}>
        <Trans>In this demo our own server made the number and knew it before the list was closed. You have to trust us.</Trans>
      </p>
      <Figure name="randomness" as="code" />
    </li>
  )
}

function Pick() {
  const onlyIf = useOnlyIf()
  return (
    <li {...onlyIf('picked')}>
      <ol className="picture lines" aria-hidden="true">
        <li {...onlyIf('before')}>
          <Figure name="before" as="span" />
          <code>{HIDDEN}</code>
        </li>
        <li className="win">
          <svg viewBox="0 0 400 60" preserveAspectRatio="none" fill="none" stroke="currentColor">
            <path d={RING} strokeWidth="2.6" vectorEffect="non-scaling-stroke" strokeLinecap="round" />
          </svg>
          <Figure name="line" as="span" />
          <Figure name="ticket" as="code" />
        </li>
        <li {...onlyIf('after')}>
          <Figure name="after" as="span" />
          <code>{HIDDEN}</code>
        </li>
      </ol>
      <h3>
        <Trans>3. The number points to a line</Trans>
      </h3>
      <p>
        <Trans>
          Fingerprint and number are mixed into one very long number. Divided by the <Figure name="entries" /> tickets it leaves a
          remainder, and that points at line <Figure name="line" />.
        </Trans>
      </p>
    </li>
  )
}

function MoneyStep() {
  const onlyIf = useOnlyIf()
  const drawn = useContext(Drawn)
  return (
    <li>
      <div className="picture ledger">
        <LedgerRow part="need" label={<Trans>For people in need</Trans>}>
          <Figure name="need" as="span" />
        </LedgerRow>
        <LedgerRow part="gift" label={<Trans>Reward</Trans>} shown={onlyIf('picked')}>
          <Figure name="reward" as="span" />
        </LedgerRow>
        <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
          <Figure name="platform" as="span" />
        </LedgerRow>
        <LedgerRow sum label={<Trans context="rupees of a round">Put in</Trans>}>
          <Figure name="intake" as="span" />
        </LedgerRow>
      </div>
      <h3>
        <Trans>The money is divided</Trans>
      </h3>
      <ul className="ledger winners" data-winners="">
        {drawn === undefined ? (
          <template>
            <Winner />
          </template>
        ) : (
          drawn.winners.map((winner) => <Winner key={winner.line} winner={winner} />)
        )}
      </ul>
    </li>
  )
}

type WinnerProps = { readonly winner?: DrawnDay['winners'][number] }

function Winner({ winner }: WinnerProps) {
  return (
    <li>
      <span data-winner="name">{winner?.name}</span>
      <span className="muted">
        <Trans>
          line <Line winner={winner} />
        </Trans>
      </span>
      <span className="amount" data-winner="amount">
        {winner?.amount}
      </span>
    </li>
  )
}

const Line = ({ winner }: WinnerProps) => <span data-winner="line">{winner?.line}</span>
