/**
 * Lets the reader's own device check a day: the plain verdict first, then the draw in pictures.
 * - The page is the same for every day; verify.ts fills in the published files.
 * - The page contains every word that it may need, so the script contains none.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { hasDraw } from '@roz/core/modes.ts'
import { type StepName, STEPS } from '@roz/verifier/steps.ts'
import { DrawStory } from '../ui/DrawStory.tsx'
import { formatDay } from '../ui/format.ts'
import { Section } from '../ui/Section.tsx'
import { publicPath } from '../paths.ts'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { Prose } from './Prose.tsx'
import { useStepWords, type StepWords } from './step-words.ts'
import { WeakWords } from './WeakWords.tsx'
import { usePageTitle } from './titles.ts'

declare const __VERIFIER_SHA256__: string

export function Verify() {
  const { t } = useLingui()
  const { modes } = usePage()
  return (
    <>
      <Heading
        title={usePageTitle('verify')}
        lead={<Trans>Don't trust us. Check. Your own device recalculates a day from the files that we published.</Trans>}
      >
        <DayChoice />
      </Heading>
      <div data-verify="">
        <Trouble />
        <Section when={<Trans>The day</Trans>} note={<span data-fill="day" />} id="check" className="filled">
          <Check />
        </Section>
        <Section when={hasDraw(modes) ? t`The draw` : t`The round`} note={<Trans>in pictures</Trans>} id="draw" className="filled">
          <DrawStory several={modes.split.winners > 1} />
        </Section>
      </div>
      <Section when={<Trans>Your own copy</Trans>}>
        <OwnProgram />
      </Section>
      <Section when={<Trans>The limits</Trans>}>
        <h2>{t`What you still have to trust`}</h2>
        <Prose name="verify-trust" />
      </Section>
    </>
  )
}

/** The newest days as a list, and any other day by its date. */
function DayChoice() {
  const { t } = useLingui()
  const { data, language } = usePage()
  const days = data?.days?.days ?? []
  return (
    <form className="day-choice" method="get" action={publicPath('verify', language)} data-choice="">
      <div className="field">
        <label htmlFor="day">{t`Day`}</label>
        <input id="day" name="day" type="date" required list="days" max={days[0]?.day} data-newest={days[0]?.day} />
        <datalist id="days">
          {days.map(({ day }) => (
            <option key={day} value={day}>
              {formatDay(day, language)}
            </option>
          ))}
        </datalist>
      </div>
      <button className="button secondary" type="submit">{t`Open this day`}</button>
    </form>
  )
}

/** Shown in place of a day that cannot be shown. At most one of these notices is visible. */
function Trouble() {
  const { t } = useLingui()
  return (
    <Section when="" className="trouble">
      <div data-state="loading" role="status">
        <p className="skeleton-line">{t`Loading`}</p>
      </div>
      <div className="empty" data-state="no-day" hidden>
        <h2>{t`No result for this day yet`}</h2>
        <p>{t`Days appear here soon after midnight. Choose another day above.`}</p>
      </div>
      <div className="empty" data-state="offline" role="alert" hidden>
        <h2>{t`The files could not be loaded`}</h2>
        <p>{t`Network error. Please check your connection and try again.`}</p>
        <button className="button secondary" type="button" data-retry="">{t`Retry`}</button>
      </div>
      <noscript>
        <p>{t`Checking a day here needs JavaScript. The program below does the same without a browser.`}</p>
      </noscript>
    </Section>
  )
}

function Check() {
  const { t } = useLingui()
  const words = useStepWords()
  return (
    <>
      <h2>{t`Is the result right?`}</h2>
      <div className="check-run">
        <p data-phase="waiting" hidden>
          <Trans>
            This check downloads <b data-fill="size" /> and uses mobile data.
          </Trans>
        </p>
        <Progress />
      </div>
      <Verdict />
      <p className="buttons gap">
        <button className="button" type="button" data-check="" hidden>{t`Check`}</button>
        <button className="button secondary" type="button" data-again="" hidden>{t`Check again`}</button>
        <button className="button quiet" type="button" data-save="" hidden>{t`Save the result`}</button>
      </p>
      <details className="steps-shown">
        <summary>{t`Technical details`}</summary>
        <VerdictWord />
        <ol className="check-steps" data-steps="">
          {STEPS.map((step) => (
            <Step key={step} name={step} words={words[step]} />
          ))}
        </ol>
      </details>
      <Extras />
    </>
  )
}

function Progress() {
  const { t } = useLingui()
  return (
    <div className="progress" data-progress="" hidden>
      <label htmlFor="progress">
        <span data-phase="log">{t`Reading the list of all days`}</span>
        <span data-phase="tickets" hidden>{t`Checking the list of tickets`}</span>
        <span data-phase="liabilities" hidden>{t`Adding up members' money`}</span> <span data-fill="progress" />
      </label>
      <progress id="progress" max={1000} value={0} />
    </div>
  )
}

/** One of these verdicts is shown when the check has ended. */
function Verdict() {
  const { t } = useLingui()
  return (
    <div className="verdict-box" role="status" data-verdict="">
      <div className="ok" data-when="PASS" hidden>
        <h3>{t`The result is right`}</h3>
        <p>{t`Your device got the same result, and the money is right to the paisa.`}</p>
        <p data-witnessed="" hidden>
          <Trans>
            Nobody could choose the result or change the list, provided these witnesses are independent of us:{' '}
            <span data-fill="witnesses" />.
          </Trans>
        </p>
      </div>
      <div className="wait" data-when="WEAK" hidden>
        <h3>{t`The numbers match, but some steps had no outside check`}</h3>
        <Reasons />
      </div>
      <div className="wait" data-when="INCOMPLETE" hidden>
        <h3>{t`Something is missing, so nothing is proven`}</h3>
        <Reasons />
        <p>{t`Try later or contact us.`}</p>
      </div>
      <div className="no" data-when="FAIL" hidden>
        <h3>{t`Something does not match`}</h3>
        <Reasons />
        <p>{t`Do not trust this day until we explain it. Save the result as evidence.`}</p>
      </div>
      <div className="no" data-when="broken" hidden>
        <h3>{t`The check could not run`}</h3>
        <p>{t`Your browser stopped the check. Try again, or run your own copy below.`}</p>
      </div>
    </div>
  )
}

/** The verdict's word in the verifier's report, for those who compare the two. */
function VerdictWord() {
  const { t } = useLingui()
  return (
    <p className="small" data-word="" hidden>
      <Trans>Verdict of the program:</Trans> <b data-when="PASS" hidden>{t`PASS`}</b>
      <b data-when="WEAK" hidden>{t`WEAK`}</b>
      <b data-when="INCOMPLETE" hidden>{t`INCOMPLETE`}</b>
      <b data-when="FAIL" hidden>{t`FAIL`}</b>
    </p>
  )
}

/** The script copies the words of the steps here that made the verdict. */
const Reasons = () => <ul data-reasons="" />

function Step({ name, words: { title, pass, fail } }: { readonly name: StepName; readonly words: StepWords }) {
  const { t } = useLingui()
  return (
    <li data-step={name}>
      <span className="mark" aria-hidden="true" />
      <div>
        <p className="step-title">
          <b>{title}</b>
          <span className="hidden" data-spoken="" />
          <code>{name}</code>
        </p>
        <p data-for="pass" hidden>
          {pass}
        </p>
        <p data-for="fail" hidden>
          {fail}
        </p>
        <WeakWords step={name} />
        <p data-for="incomplete" hidden>{t`Not checked: something it needs is missing or broken. The saved result names it.`}</p>
        <p data-for="none" hidden>{t`There is nothing to check here.`}</p>
      </div>
    </li>
  )
}

/** The spoken names of the states, a field for a receipt, and the state of the log that this device keeps. */
function Extras() {
  const { t } = useLingui()
  return (
    <div
      data-spoken-states={JSON.stringify({
        pass: t`passed`,
        fail: t`failed`,
        weak: t`weak`,
        incomplete: t`not checked`,
        none: t`nothing to check`,
      })}
    >
      <div className="field gap receipt-field">
        <label htmlFor="receipt">{t`Your saved receipt`}</label>
        <input id="receipt" type="file" accept="application/json,.json" data-receipt="" aria-describedby="receipt-hint receipt-error" />
        <p className="hint" id="receipt-hint">{t`Saved from My ticket. It is checked on this device and not sent anywhere.`}</p>
        <p className="field-error" id="receipt-error" role="alert" hidden>{t`This file is not a receipt.`}</p>
      </div>
      <p className="small muted" data-kept="" hidden>
        <Trans>
          This device remembers the log with <span data-fill="kept" /> records, to notice changes.
        </Trans>{' '}
        <button className="link-button" type="button" data-forget="">{t`Forget it`}</button>
      </p>
    </div>
  )
}

function OwnProgram() {
  const { t } = useLingui()
  const { site } = usePage()
  return (
    <>
      <h2>{t`Run it yourself`}</h2>
      <p className="lead">{t`Our page could lie. We cannot change a program that you keep.`}</p>
      <ol className="own-program gap">
        <li>
          <a className="tap" href="/verify/roz-verify.mjs" download="">
            roz-verify.mjs
          </a>{' '}
          <Trans>is one file for Node.js 20 or newer. Its fingerprint (SHA-256) is also in the log:</Trans>
          <code className="hash">{__VERIFIER_SHA256__}</code>
        </li>
        <li>
          <Trans>Run it against {site.brandName}, or against any copy of the files:</Trans>
          <code className="hash" data-command="">
            node roz-verify.mjs <span data-fill="base">https://…/api/public/</span> <span data-fill="date">YYYY-MM-DD</span>
          </code>
        </li>
        <li>
          <Trans>Or write your own: the rules are public.</Trans>{' '}
          <a className="tap" href="/api/public/log/entries/0" data-rules="">{t`The rules of this day`}</a>
        </li>
        <li data-own-key="" hidden>
          <Trans>The log's key. Write it down and pass it with --key:</Trans>
          <code className="hash" data-fill="key" />
        </li>
      </ol>
    </>
  )
}
