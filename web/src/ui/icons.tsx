/** The interface's own icons, with slightly hand-drawn lines like the coin. */
import type { SVGProps } from 'react'

function Icon({ size = 24, children, ...rest }: SVGProps<SVGSVGElement> & { readonly size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      {...rest}
    >
      {children}
    </svg>
  )
}
type IconProps = { readonly size?: number }
const RING = 'M12 2.6q9.5.2 9.3 9.5-.2 9.2-9.4 9.2-9.2-.2-9.2-9.4.2-9 9.3-9.3z'

export const CheckIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d={RING} />
    <path d="m7.5 12.4 3.2 3.3 6-7" />
  </Icon>
)
export const WarningIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 3q1 .2 1.6 1.3l7.6 13.6q1 2.3-1.4 2.5H4.3q-2.5-.2-1.4-2.5l7.5-13.6Q11 3.2 12 3z" />
    <path d="M12 9v4.8M12 17.2v.1" />
  </Icon>
)
export const ErrorIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d={RING} />
    <path d="M12 7v6M12 16.7v.1" />
  </Icon>
)
export const CloseIcon = () => (
  <Icon>
    <path d="M5 5.5q7 6 14 13.3M19 5Q11.5 12 5.3 19" />
  </Icon>
)
export const ChevronIcon = () => (
  <Icon size={16}>
    <path d="m5 8.5 7 7 7-7" />
  </Icon>
)
export const MenuIcon = () => (
  <Icon>
    <path d="M3 6q9 .6 18 0M3 12.2q9-.5 18 0M3 18q9 .6 18 0" />
  </Icon>
)
export const PersonIcon = (props: IconProps) => (
  <Icon {...props}>
    <path d="M12 3.5q4.3.2 4.2 4.4-.2 4.1-4.3 4.1-4.1-.2-4.1-4.3.2-4 4.2-4.2zM4 20.5q.6-6 8-6t8 6" />
  </Icon>
)
export const EyeIcon = ({ crossed }: { readonly crossed: boolean }) => (
  <Icon>
    <path d="M2.5 12q4-6.5 9.6-6.5T21.5 12q-4 6.5-9.5 6.5T2.5 12z" />
    <path d="M12 9q3 .1 2.9 3-.1 2.9-3 2.9-2.9-.1-2.9-3 .1-2.8 3-2.9z" />
    {crossed ? <path d="M4 20.5 20 3.5" /> : null}
  </Icon>
)
