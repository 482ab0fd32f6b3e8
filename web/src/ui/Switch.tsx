/** A switch with its state in words beside it. */
import { useId } from 'react'

type SwitchProps = {
  readonly label: string
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
  /** The words for on and off. */
  readonly on: string
  readonly off: string
  readonly busy?: boolean
}

export function Switch({ label, checked, onChange, on, off, busy = false }: SwitchProps) {
  const id = useId()
  return (
    <div className="switch">
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-state`}
        aria-busy={busy || undefined}
        onClick={() => (busy ? undefined : onChange(!checked))}
      >
        <i />
      </button>
      <span id={`${id}-label`}>{label}</span>
      <span className="switch-state" id={`${id}-state`}>
        {checked ? on : off}
      </span>
    </div>
  )
}
