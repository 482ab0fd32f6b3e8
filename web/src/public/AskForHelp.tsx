/**
 * The form with which anybody asks for help, and the stage of a request.
 * - Both are plain forms: they work without an account and without scripts. The server answers with this page again.
 * - The number is in the address, the phone number never is.
 */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CASE_FOR, CASE_KINDS, CASE_REASONS, type CaseFor, type CaseKind, type CaseStage, mayWithdraw } from '@roz/core/case-fields.ts'
import type { AskedHelp } from '@roz/contract/public-pages.ts'
import { statesIn } from '@roz/core/states-of-india.ts'
import { formatDay } from '../ui/format.ts'
import { Section } from '../ui/Section.tsx'
import { usePage } from './context.ts'
import { Heading } from './Frame.tsx'
import { leadOf } from './share-card.ts'
import { usePageTitle } from './titles.ts'
import { GivenPhone, Withdraw, Withdrawn } from './WithdrawRequest.tsx'

const KIND_NAMES: Readonly<Record<CaseKind, MessageDescriptor>> = {
  food: msg`Food`,
  school: msg`School`,
  medicine: msg`Medicine or treatment`,
  rent: msg`Rent`,
  tools: msg`Tools for work`,
  other: msg`Something else`,
}
const WHO: Readonly<Record<CaseFor, MessageDescriptor>> = {
  self: msg`I need help`,
  relative: msg`Somebody in my family needs help`,
  other: msg`I know somebody who needs help`,
}
const STAGES: Readonly<Record<CaseStage, MessageDescriptor>> = {
  new: msg`We have your request. We will call.`,
  called: msg`We have talked with you. Next we check what is needed.`,
  checked: msg`We have checked the need. Next the team decides.`,
  agreed: msg`The team has agreed to help. Next we prepare the payment.`,
  waiting: msg`The help is being paid.`,
  helped: msg`The help was sent.`,
  followed_up: msg`The help was sent, and we have asked how things are.`,
  refused: msg`We cannot help with this request.`,
  withdrawn: msg`The request was withdrawn.`,
  unreachable: msg`We could not reach you. Please ask again with a phone number that works.`,
}

export function AskForHelp() {
  const { i18n } = useLingui()
  const { modes, asked } = usePage()
  return (
    <>
      <Heading title={usePageTitle('askForHelp')} lead={i18n._(leadOf('askForHelp', modes))} />
      {asked?.kind === 'stored' ? <Stored number={asked.number} /> : null}
      {asked?.kind === 'look' ? <Look asked={asked} /> : null}
      {asked?.kind === 'withdraw' ? <Withdraw asked={asked} /> : null}
      {asked?.kind === 'withdrawn' ? <Withdrawn number={asked.number} /> : null}
      {asked === undefined || asked.kind === 'form' ? (
        <>
          {asked === undefined ? (
            <Section>
              <HowItGoes />
            </Section>
          ) : null}
          <Section id="form">
            <Form asked={asked} />
          </Section>
          <Section>
            <See />
          </Section>
        </>
      ) : null}
    </>
  )
}

function HowItGoes() {
  const { t } = useLingui()
  const { data } = usePage()
  const days = data?.home.desk.medianDays ?? null
  return (
    <>
      <h2>{t`What happens next`}</h2>
      <ol className="prose gap asking">
        <li>{t`You get a number. With it you can see where your request is.`}</li>
        <li>{t`We call you. We may visit you, or ask for a paper.`}</li>
        <li>{t`If we agree, we pay the shop, the school or the chemist directly.`}</li>
      </ol>
      <p className="gap">
        <Trans>
          Asking costs nothing. You need not join. Nobody is chosen by a photograph. We cannot help everybody, so help is never certain.
        </Trans>
      </p>
      {days === null ? null : (
        <p className="gap">
          <Plural
            value={days}
            _0="In the last 30 days, half of the people who were helped got it on the day they asked."
            one="In the last 30 days, half of the people who were helped waited at most # day."
            other="In the last 30 days, half of the people who were helped waited at most # days."
          />
        </p>
      )}
    </>
  )
}

type FormAsked = Extract<AskedHelp, { kind: 'form' }>

function Form({ asked }: { readonly asked: FormAsked | undefined }) {
  const { t, i18n } = useLingui()
  const { to, language } = usePage()
  const value = (name: string): string => asked?.values[name] ?? ''
  return (
    <form method="post" action={to('askForHelp')} className="narrow">
      <h2>{t`Your request`}</h2>
      {asked === undefined ? null : (
        <p className="form-error gap" role="alert">
          {asked.refusal}
        </p>
      )}
      <fieldset className="field gap">
        <legend>{t`Who needs the help?`}</legend>
        {CASE_FOR.map((who) => (
          <label key={who} className="pick">
            <input type="radio" name="for" value={who} defaultChecked={value('for') === who} required />
            {i18n._(WHO[who])}
          </label>
        ))}
        <Problem asked={asked} name="for" />
        <label className="pick">
          <input type="checkbox" name="knows" value="yes" defaultChecked={value('knows') === 'yes'} />
          <Trans>If it is somebody else: this person knows that I ask. If not, we talk to you first.</Trans>
        </label>
      </fieldset>
      <div className="field">
        <label htmlFor="kind">{t`What is the help for?`}</label>
        <select id="kind" name="kind" defaultValue={value('kind')} required {...invalidOf(asked, 'kind')}>
          <option value="">{t`Please choose`}</option>
          {CASE_KINDS.map((kind) => (
            <option key={kind} value={kind}>
              {i18n._(KIND_NAMES[kind])}
            </option>
          ))}
        </select>
        <Problem asked={asked} name="kind" />
      </div>
      <div className="field">
        <label htmlFor="words">{t`What is needed, and why?`}</label>
        <textarea
          id="words"
          name="words"
          minLength={10}
          maxLength={2000}
          defaultValue={value('words')}
          required
          {...invalidOf(asked, 'words')}
        />
        <Problem asked={asked} name="words" />
      </div>
      <Line asked={asked} name="amount" label={t`How much money, in rupees? Leave empty if you do not know.`} mode="numeric" />
      <Line asked={asked} name="until" label={t`Until when? Leave empty if it can wait.`} type="date" />
      <Line asked={asked} name="district" label={t`District`} required />
      <div className="field">
        <label htmlFor="state">{t`State`}</label>
        <select id="state" name="state" autoComplete="off" defaultValue={value('state')} required {...invalidOf(asked, 'state')}>
          <option value="">{t`Please choose`}</option>
          {statesIn(language).map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
        <Problem asked={asked} name="state" />
      </div>
      <Line asked={asked} name="name" label={t`Your name`} complete="name" required />
      <Line asked={asked} name="phone" label={t`Your mobile number, 10 digits`} type="tel" complete="tel-national" mode="tel" required />
      <Line asked={asked} name="email" label={t`Your email, if you have one`} type="email" complete="email" />
      <p className="small muted">{t`Only our team reads this. We delete it when it is no longer needed. The Privacy Policy says when.`}</p>
      <button className="button wide gap" type="submit">{t`Ask for help`}</button>
    </form>
  )
}

/** For somebody who has a number. */
function See() {
  const { t } = useLingui()
  const { to } = usePage()
  return (
    <form method="post" action={`${to('askForHelp')}/see`} className="narrow">
      <h2>{t`You have asked already?`}</h2>
      <div className="gap">
        <Line asked={undefined} name="number" label={t`Your number, such as 3F9A`} required />
        <GivenPhone id="given-phone" />
      </div>
      <button className="button secondary" type="submit">{t`See your request`}</button>
    </form>
  )
}

type LineProps = {
  readonly asked: FormAsked | undefined
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'tel' | 'email' | 'date'
  readonly mode?: 'numeric' | 'tel'
  readonly complete?: string
  readonly required?: boolean
}

function Line({ asked, name, label, type = 'text', mode, complete = 'off', required = false }: LineProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input
        id={name}
        name={name}
        type={type}
        inputMode={mode}
        autoComplete={complete}
        defaultValue={asked?.values[name] ?? ''}
        required={required}
        {...invalidOf(asked, name)}
      />
      <Problem asked={asked} name={name} />
    </div>
  )
}

const invalidOf = (asked: FormAsked | undefined, name: string) =>
  asked?.problems[name] === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${name}-error` }

function Problem({ asked, name }: { readonly asked: FormAsked | undefined; readonly name: string }) {
  const problem = asked?.problems[name]
  return problem === undefined ? null : (
    <p className="field-error" id={`${name}-error`}>
      {problem}
    </p>
  )
}

function Stored({ number }: { readonly number: string }) {
  const { t } = useLingui()
  const { to } = usePage()
  const address = `${to('askForHelp')}/${number}`
  return (
    <Section>
      <div role="status">
        <h2>
          <Trans>We have your request. Your number is #{number}.</Trans>
        </h2>
      </div>
      <p className="gap">{t`Write this number down. With it and your phone number you can see where your request is.`}</p>
      <p className="gap">
        <a className="tap" href={address}>{t`See your request`}</a>
      </p>
    </Section>
  )
}

type LookAsked = Extract<AskedHelp, { kind: 'look' }>

function Look({ asked: { number, refusal, found } }: { readonly asked: LookAsked }) {
  const { t, i18n } = useLingui()
  const { to, language } = usePage()
  return (
    <Section>
      <h2>
        <Trans>Request #{number}</Trans>
      </h2>
      {found === undefined ? (
        <form method="post" action={`${to('askForHelp')}/${number}`} className="narrow gap">
          <GivenPhone id="phone" refusal={refusal} />
          <button className="button" type="submit">{t`See your request`}</button>
        </form>
      ) : (
        <div role="status">
          <p className="lead gap">{i18n._(STAGES[found.stage])}</p>
          {found.reason === null ? null : <p className="gap">{CASE_REASONS[found.reason][language]}</p>}
          {found.answer === null ? null : <p className="gap told">{found.answer}</p>}
          <p className="small muted gap">
            <Trans>You asked on {formatDay(found.askedAt.slice(0, 10), language)}.</Trans>
          </p>
          {mayWithdraw(found.stage) ? (
            <p>
              <a className="tap" href={`${to('askForHelp')}/${number}/withdraw`}>{t`Withdraw this request`}</a>
            </p>
          ) : null}
        </div>
      )}
    </Section>
  )
}
