/**
 * Crops the member's picture: a square frame over the whole picture, moved by pointer or arrow keys and zoomed by a slider.
 * - The dialog's code loads only after the member has chosen a file.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { Field } from '../../ui/Field.tsx'
import { Modal } from '../../ui/Modal.tsx'
import { firstFrame, type CropFrame, moved, ZOOM_MAX, zoomed, zoomOf } from './crop.ts'
import { cutOut, draw } from './picture.ts'
import './crop.css'

const ZOOM_STEP = 0.1
/** The distance for one key press, as a share of the frame's side. */
const STEP = 0.05
const LONG_STEP = 0.25
const WAYS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
/** On most keyboards the plus sign needs Shift: the same key without Shift works too. */
const ZOOMS: Readonly<Record<string, number>> = { '+': ZOOM_STEP, '=': ZOOM_STEP, '-': -ZOOM_STEP }

type CropDialogProps = {
  readonly picture: HTMLCanvasElement
  /** Null if the browser could not cut the picture. */
  readonly onUse: (cut: Blob | null) => void
  readonly onClose: () => void
}

export function CropDialog({ picture, onUse, onClose }: CropDialogProps) {
  const { t } = useLingui()
  const hintId = useId()
  const [frame, setFrame] = useState(() => firstFrame(picture))
  const [busy, setBusy] = useState(false)
  const zoom = zoomOf(frame, picture)
  const percent = Math.round(zoom * 100)

  const zoomBy = (event: KeyboardEvent): void => {
    const more = ZOOMS[event.key]
    if (more === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    setFrame(zoomed(frame, zoom + more, picture))
  }
  const use = async (): Promise<void> => {
    setBusy(true)
    onUse(await cutOut(picture, frame).catch(() => null))
  }
  return (
    <Modal
      open
      closeOnOverlay={false}
      // The upload follows the cutting: a dialog closed meanwhile would not prevent it.
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>Crop your picture</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>{t`Cancel`}</Button>
          <Button busy={busy} onClick={() => void use()}>{t`Use this picture`}</Button>
        </>
      }
    >
      <CropStage picture={picture} frame={frame} hintId={hintId} onChange={setFrame} onKey={zoomBy} />
      <p className="small muted crop-hint" id={hintId}>
        <Trans>Drag the square, or move it with the arrow keys. Zoom with the slider or with + and −.</Trans>
      </p>
      <Field label={t`Zoom`}>
        {(wiring) => (
          <input
            {...wiring}
            type="range"
            min={1}
            max={ZOOM_MAX}
            step={ZOOM_STEP}
            value={zoom}
            aria-valuetext={`${percent}%`}
            onChange={(event) => setFrame(zoomed(frame, event.target.valueAsNumber, picture))}
            onKeyDown={zoomBy}
          />
        )}
      </Field>
    </Modal>
  )
}

type CropStageProps = {
  readonly picture: HTMLCanvasElement
  readonly frame: CropFrame
  readonly hintId: string
  readonly onChange: (frame: CropFrame) => void
  readonly onKey: (event: KeyboardEvent) => void
}

function CropStage({ picture, frame, hintId, onChange, onKey }: CropStageProps) {
  const { t } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  const seen = useRef<HTMLCanvasElement>(null)
  const held = useRef<{ readonly x: number; readonly y: number; readonly from: CropFrame }>(undefined)
  const { width, height } = picture
  useEffect(() => {
    if (seen.current !== null) draw(seen.current, picture, { x: 0, y: 0, width: picture.width, height: picture.height })
  }, [picture])

  const press = (event: KeyboardEvent): void => {
    const way = WAYS[event.key]
    if (way === undefined) return onKey(event)
    event.preventDefault()
    const step = frame.side * (event.shiftKey ? LONG_STEP : STEP)
    onChange(moved(frame, way[0] * step, way[1] * step, picture))
  }
  const take = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId)
    held.current = { x: event.clientX, y: event.clientY, from: frame }
  }
  const drag = (event: PointerEvent): void => {
    if (held.current === undefined || stage.current === null) return
    const { x, y, from } = held.current
    const scale = width / stage.current.clientWidth
    onChange(moved(from, (event.clientX - x) * scale, (event.clientY - y) * scale, picture))
  }
  const letGo = (): void => {
    held.current = undefined
  }

  const of = (part: number, whole: number): string => `${(part / whole) * 100}%`
  // With less than 1 px of room the frame is at 0 %.
  const share = (part: number, room: number): number => (room < 1 ? 0 : Math.round((part / room) * 100))
  const across = share(frame.x, width - frame.side)
  const down = share(frame.y, height - frame.side)
  return (
    <div className="crop-stage" ref={stage} style={{ aspectRatio: width / height, width: `min(100%, ${(42 * width) / height}dvh)` }}>
      <canvas ref={seen} width={width} height={height} aria-hidden="true" />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- no HTML control moves in two directions */}
      <div
        className="crop-frame"
        role="application"
        aria-label={t`Visible part`}
        aria-describedby={hintId}
        // React's autoFocus runs before the dialog opens, and the dialog then moves the focus to its Close button.
        ref={(element) => element?.setAttribute('autofocus', '')}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move it, so it must take the focus
        tabIndex={0}
        style={{ left: of(frame.x, width), top: of(frame.y, height), width: of(frame.side, width) }}
        onKeyDown={press}
        onPointerDown={take}
        onPointerMove={drag}
        onPointerUp={letGo}
        onPointerCancel={letGo}
      />
      <p className="hidden" role="status">
        <Trans>
          {across}% from the left, {down}% from the top
        </Trans>
      </p>
    </div>
  )
}
