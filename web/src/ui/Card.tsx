/** A part of a screen that fails alone: after a bug in it, the other parts stay. */
import { useLingui } from '@lingui/react/macro'
import { Component, type ReactNode } from 'react'
import { ErrorState } from './Feedback.tsx'

type CardProps = { readonly children: ReactNode }
type CardState = { readonly hasFailed: boolean }

export class Card extends Component<CardProps, CardState> {
  override state: CardState = { hasFailed: false }
  static getDerivedStateFromError = (): CardState => ({ hasFailed: true })
  override componentDidCatch(error: unknown): void {
    console.warn('A part of the screen failed:', error)
  }
  override render(): ReactNode {
    return this.state.hasFailed ? <Failed onRetry={() => this.setState({ hasFailed: false })} /> : this.props.children
  }
}

function Failed({ onRetry }: { readonly onRetry: () => void }) {
  const { t } = useLingui()
  return <ErrorState title={t`Something went wrong`} onRetry={onRetry} />
}
