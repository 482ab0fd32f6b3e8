/**
 * Form fields, for react-hook-form: `<TextField label={…} error={…} {...register('email')} />`.
 * - Each field has a visible label. Its error and hint are below it and named by aria-describedby.
 */
import { useLingui } from '@lingui/react/macro'
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react'
import { ErrorIcon, EyeIcon } from './icons.tsx'

type Common = {
  readonly label: string
  readonly error?: string | undefined
  readonly hint?: ReactNode
}
type Wiring = { readonly id: string; readonly 'aria-invalid': true | undefined; readonly 'aria-describedby': string | undefined }

/** The frame of a field. `children` renders the control with the given attributes. */
export function Field({ label, error, hint, children }: Common & { readonly children: (wiring: Wiring) => ReactNode }) {
  const id = useId()
  const described = [hint === undefined ? undefined : `${id}-hint`, error === undefined ? undefined : `${id}-error`]
    .filter(Boolean)
    .join(' ')
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': error === undefined ? undefined : true,
        'aria-describedby': described === '' ? undefined : described,
      })}
      {hint === undefined ? null : (
        <p className="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? null : <FieldError id={`${id}-error`}>{error}</FieldError>}
    </div>
  )
}

export const FieldError = ({ id, children }: { readonly id?: string; readonly children: ReactNode }) => (
  <p className="field-error" id={id}>
    <ErrorIcon size={18} />
    <span>{children}</span>
  </p>
)

type TextFieldProps = Common &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'className' | 'id'> & {
    /** Shown before the input: ₹ or +91. */
    readonly prefix?: string
    readonly ref?: Ref<HTMLInputElement>
  }

export function TextField({ label, error, hint, prefix, ...input }: TextFieldProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(wiring) =>
        prefix === undefined ? (
          <input {...input} {...wiring} />
        ) : (
          <div className="prefixed">
            <span aria-hidden="true">{prefix}</span>
            <input {...input} {...wiring} />
          </div>
        )
      }
    </Field>
  )
}

/** An amount in rupees. */
export const AmountField = (field: TextFieldProps) => <TextField inputMode="decimal" autoComplete="off" prefix="₹" {...field} />

/** An Indian phone number without its +91. */
export const PhoneField = (field: TextFieldProps) => (
  <TextField type="tel" inputMode="numeric" autoComplete="tel-national" prefix="+91" {...field} />
)

type PasswordFieldProps = Omit<TextFieldProps, 'type' | 'prefix'>

/** A password field with a button that shows and hides the text. */
export function PasswordField({ label, error, hint, ...input }: PasswordFieldProps) {
  const { t } = useLingui()
  const [shown, setShown] = useState(false)
  return (
    <Field label={label} error={error} hint={hint}>
      {(wiring) => (
        <div className="suffixed">
          <input {...input} {...wiring} type={shown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false} />
          <button
            className="icon-button"
            type="button"
            aria-label={shown ? t`Hide` : t`Show`}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
          >
            <EyeIcon crossed={shown} />
          </button>
        </div>
      )}
    </Field>
  )
}

type TextAreaProps = Common &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className' | 'id'> & { readonly ref?: Ref<HTMLTextAreaElement> }

export function TextAreaField({ label, error, hint, ...area }: TextAreaProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(wiring) => <textarea {...area} {...wiring} />}
    </Field>
  )
}

type SelectProps = Common & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'id'> & { readonly ref?: Ref<HTMLSelectElement> }

export function SelectField({ label, error, hint, children, ...select }: SelectProps) {
  return (
    <Field label={label} error={error} hint={hint}>
      {(wiring) => (
        <select {...select} {...wiring}>
          {children}
        </select>
      )}
    </Field>
  )
}
