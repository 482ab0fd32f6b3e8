/** A day's draw in four pictures: tickets sealed, public number, pick, money. verify.ts fills the figures in. */
import { Trans, useLingui } from '@lingui/react/macro'
import { Art, Seal } from '../ui/Art.tsx'
import { LedgerRow } from '../ui/Split.tsx'

const RING = 'M30 12C120 2 300 1 372 10c30 6 28 34-4 41C290 62 90 60 26 50 0 44 2 22 40 9'

export function DrawStory() {
  return (
    <>
      <h2>
        <Trans>How the winner was drawn</Trans>
      </h2>
      <p className="assurance">
        <span className="badge ok" data-if="sealed" hidden>
          <Trans>Sealed in time: nobody could have chosen this winner</Trans>
        </span>
        <span className="badge wait" data-if="demo" hidden>
          <Trans>Demo draw — the operator could have chosen this winner</Trans>
        </span>
        <span className="badge wait" data-if="unwitnessed" hidden>
          <Trans>No witness saw the seal in time: we could have changed the list</Trans>
        </span>
      </p>
      <p className="lead" data-if="void" hidden>
        <Trans>There was no draw that day. Whoever had put in a rupee has it back.</Trans>
      </p>
      <ol className="draw-story" data-if="drawn">
        <Sealed />
        <PublicNumber />
        <Pick />
        <MoneyStep />
      </ol>
    </>
  )
}

function Sealed() {
  const { t } = useLingui()
  return (
    <li>
      <div className="picture tickets" aria-hidden="true">
        {['0003af…71', '000a9d…e2', '0011c0…5b', '001c44…09'].map((code, index) => (
          <span key={code}>
            <b>{index + 1}</b>
            {code}
          </span>
        ))}
        <Seal word={t`Sealed`} />
      </div>
      <h3>
        <Trans>1. The tickets are sealed</Trans>
      </h3>
      <p>
        <Trans>
          <b data-fill="entries" /> tickets, codes without names, were put in order. At <b data-fill="sealedAt" /> the list got one
          fingerprint. Add, drop or swap a single ticket, and it changes.
        </Trans>
      </p>
      <code className="hash" data-fill="root" />
    </li>
  )
}

function PublicNumber() {
  return (
    <li>
      <div className="picture wait-for" aria-hidden="true">
        <Seal word="✓" />
        <span className="dash" data-if="beacon">
          <Trans>15 minutes</Trans>
        </span>
        <span className="dash" data-if="local" hidden />
        <Art name="coin" className="number-coin" />
      </div>
      <h3>
        <Trans>2. A random number comes</Trans>
      </h3>
      <p data-if="beacon">
        <Trans>
          From a public source that many independent groups run together (drand, round <b data-fill="round" />
          ). When the list was sealed, it did not exist yet.
        </Trans>
      </p>
      <p data-if="local" hidden>
        <Trans>
          In this demo it came from our own server, which knew it before the list was sealed. That is why the draw counts as weak.
        </Trans>
      </p>
      <code className="hash" data-fill="randomness" />
    </li>
  )
}

function Pick() {
  return (
    <li>
      <ol className="picture lines" aria-hidden="true">
        <li>
          <span data-fill="before" />
          <code>······</code>
        </li>
        <li className="win">
          <svg viewBox="0 0 400 60" preserveAspectRatio="none" fill="none" stroke="currentColor">
            <path d={RING} strokeWidth="2.6" vectorEffect="non-scaling-stroke" strokeLinecap="round" />
          </svg>
          <span data-fill="line" />
          <code data-fill="ticket" />
        </li>
        <li>
          <span data-fill="after" />
          <code>······</code>
        </li>
      </ol>
      <h3>
        <Trans>3. Divide, keep the remainder</Trans>
      </h3>
      <p data-if="picked">
        <Trans>
          Fingerprint and number are mixed into one very long number. Divided by the <b data-fill="entries" /> tickets it leaves a
          remainder, and that points at line <b data-fill="line" />.
        </Trans>
      </p>
      <p data-if="nobody" hidden>
        <Trans>Rewards were switched off for that day: nobody was picked, and the share went to people in need.</Trans>
      </p>
    </li>
  )
}

function MoneyStep() {
  return (
    <li>
      <div className="picture ledger">
        <LedgerRow part="need" label={<Trans>For people in need</Trans>}>
          <span data-fill="need" />
        </LedgerRow>
        <LedgerRow part="gift" label={<Trans>For members</Trans>}>
          <span data-fill="reward" />
        </LedgerRow>
        <LedgerRow part="run" label={<Trans>For the platform</Trans>}>
          <span data-fill="platform" />
        </LedgerRow>
        <LedgerRow sum label={<Trans>Put in</Trans>}>
          <span data-fill="intake" />
        </LedgerRow>
      </div>
      <h3>
        <Trans>4. The money moves</Trans>
      </h3>
      <ul className="ledger winners" data-winners="">
        <template>
          <li>
            <span data-winner="name" />
            <span className="muted">
              <Trans>
                line <span data-winner="line" />
              </Trans>
            </span>
            <span className="amount" data-winner="amount" />
          </li>
        </template>
      </ul>
    </li>
  )
}
