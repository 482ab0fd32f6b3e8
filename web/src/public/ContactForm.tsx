/** The contact form. The page contains the words for every outcome, so site.ts needs no texts. */
import { FIELD_TEXTS } from '@roz/core/fields.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { CheckIcon } from '../ui/icons.tsx'
import { usePage } from './context.ts'

export function ContactForm() {
  const { t } = useLingui()
  const { language } = usePage()
  const fields = [
    ['name', t`Name`, 'name', FIELD_TEXTS.name_length[language]],
    ['email', t`Email`, 'email', FIELD_TEXTS.email_invalid[language]],
  ] as const
  return (
    <div>
      <form
        noValidate
        // Without JavaScript the form sends nothing: any other method would put the message into the address.
        method="dialog"
        data-contact=""
        data-network={t`Network error. Please check your connection and try again.`}
        data-unsure={t`We could not tell whether it was sent. If it was, we email you its ticket number.`}
        data-failed={t`Your message could not be sent. Please try again.`}
        data-fill={FIELD_TEXTS.fill_all[language]}
      >
        <noscript>
          <p className="form-error">{t`This form needs JavaScript. You can also email or call us.`}</p>
        </noscript>
        <p className="form-error" role="alert" hidden />
        {fields.map(([name, label, complete, problem]) => (
          <div className="field" key={name}>
            <label htmlFor={name}>{label}</label>
            <input
              id={name}
              name={name}
              type={name === 'email' ? 'email' : 'text'}
              autoComplete={complete}
              required
              aria-describedby={`${name}-error`}
            />
            <p className="field-error" id={`${name}-error`} data-problem={problem} hidden />
          </div>
        ))}
        <div className="field">
          <label htmlFor="message">{t`Message`}</label>
          <textarea id="message" name="message" required maxLength={4000} aria-describedby="message-error" />
          <p className="field-error" id="message-error" data-problem={FIELD_TEXTS.message_length[language]} hidden />
        </div>
        <button className="button" type="submit">{t`Send Message`}</button>
      </form>
      <div className="sent" role="status" data-sent="">
        <div hidden>
          <CheckIcon size={32} />
          <p>
            <Trans>
              Message sent. Your ticket number is <b className="ticket" data-ticket="" />. We answer within 1–2 business days.
            </Trans>
          </p>
        </div>
      </div>
    </div>
  )
}
