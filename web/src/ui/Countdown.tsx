/** The time left in a round, updated every second by the server's clock, not the device's. */
import { Trans, useLingui } from '@lingui/react/macro'
import { useEffect, useRef, useState } from 'react'

type CountdownProps = {
  readonly endTime: string
  /** The server's clock minus this device's, in ms, measured when the answer arrived. */
  readonly skewMs: number
  /** Called once when the time has run out. */
  readonly onEnd?: () => void
}

export function Countdown({ endTime, skewMs, onEnd }: CountdownProps) {
  const { t } = useLingui()
  const [nowMs, setNowMs] = useState(() => Date.now())
  const told = useRef('')
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((Date.parse(endTime) - nowMs - skewMs) / 1000))
  useEffect(() => {
    if (seconds > 0 || told.current === endTime) return
    told.current = endTime
    onEnd?.()
  }, [seconds, endTime, onEnd])
  const two = (value: number): string => String(value).padStart(2, '0')
  return (
    <p className="countdown display" role="timer" aria-label={t`Time left`}>
      <span>
        {two(Math.floor(seconds / 3600))}
        <i>
          <Trans comment="hours, shortest form">h</Trans>
        </i>
      </span>{' '}
      <span>
        {two(Math.floor(seconds / 60) % 60)}
        <i>
          <Trans comment="minutes, shortest form">min</Trans>
        </i>
      </span>{' '}
      <span>
        {two(seconds % 60)}
        <i>
          <Trans comment="seconds, shortest form">s</Trans>
        </i>
      </span>
    </p>
  )
}
