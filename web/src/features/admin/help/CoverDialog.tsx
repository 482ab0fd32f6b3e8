/**
 * Covers personal data on one page of a bill or on a picture, with finger or mouse by a drag. With the keyboard, arrow keys move and grow a cover.
 * - The screen shows the page as it is published.
 */
import { Trans, useLingui } from '@lingui/react/macro'
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../../ui/Button.tsx'
import { Modal } from '../../../ui/Modal.tsx'
import { type Cover, coverBetween, middleCover, movedCover, penOf, type Point, resizedCover } from './cover.ts'
import './cover.css'

/** The distance of one key press, as a share of the page's shorter side. */
const STEP = 0.02
const WAYS: Readonly<Record<string, readonly [right: number, down: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The cover that takes the focus. */
type Focused = { readonly index: number }
type CoverDialogProps = {
  readonly page: HTMLCanvasElement
  readonly of: 'bill' | 'picture'
  /** The number of pages that are covered after this one. */
  readonly more: number
  readonly busy: boolean
  readonly onUse: (covers: readonly Cover[]) => void
  readonly onClose: () => void
}

export function CoverDialog({ page, of, more, busy, onUse, onClose }: CoverDialogProps) {
  const { t } = useLingui()
  const [covers, setCovers] = useState<readonly Cover[]>([])
  const [focused, setFocused] = useState<Focused>()
  const hintId = useId()
  const addButton = useRef<HTMLSpanElement>(null)
  // The focus stays at work: on the cover that took the place of the removed one, or before it; after the last one, on the button.
  const remove = (index: number): void => {
    setCovers(covers.filter((_, other) => other !== index))
    if (covers.length === 1) addButton.current?.querySelector('button')?.focus()
    else setFocused({ index: Math.min(index, covers.length - 2) })
  }
  return (
    <Modal
      open
      size="lg"
      closeOnOverlay={false}
      onClose={() => (busy ? undefined : onClose())}
      title={<Trans>Cover personal data</Trans>}
      footer={
        <>
          <Button kind="secondary" disabled={busy} onClick={onClose}>
            {of === 'picture' ? t`Leave this picture out` : t`Leave this page out`}
          </Button>
          <Button busy={busy} onClick={() => onUse(covers)}>
            {of === 'picture' ? t`Use this picture` : t`Use this page`}
          </Button>
        </>
      }
    >
      <p className="muted spaced" id={hintId}>
        {of === 'picture'
          ? t`Draw over names, addresses, phone numbers, and the faces of others.`
          : t`Draw over names, addresses, phone numbers, faces and signatures.`}{' '}
        <Trans>
          Black areas are removed from the uploaded picture. With the keyboard: add a cover, move it with the arrow keys, resize it with
          Shift and the arrow keys, remove it with Delete.
        </Trans>
      </p>
      {more === 0 ? null : <p className="muted spaced">{more === 1 ? <Trans>1 more page</Trans> : <Trans>{more} more pages</Trans>}</p>}
      <Stage page={page} of={of} covers={covers} focused={focused} hintId={hintId} onChange={setCovers} onRemove={remove} />
      <div className="cover-tools">
        <span ref={addButton}>
          <Button
            kind="secondary"
            onClick={() => {
              setCovers([...covers, middleCover(page)])
              setFocused({ index: covers.length })
            }}
          >
            <Trans>Add a cover</Trans>
          </Button>
        </span>
        <Button kind="quiet" disabled={covers.length === 0} onClick={() => setCovers(covers.slice(0, -1))}>{t`Undo`}</Button>
      </div>
    </Modal>
  )
}

type StageProps = {
  readonly page: HTMLCanvasElement
  readonly of: 'bill' | 'picture'
  readonly covers: readonly Cover[]
  /** The cover that was added last, or that follows a removed one: it takes the focus, so that the keys go on working. */
  readonly focused: Focused | undefined
  readonly hintId: string
  readonly onChange: (covers: readonly Cover[]) => void
  readonly onRemove: (index: number) => void
}

function Stage({ page, of, covers, focused, hintId, onChange, onRemove }: StageProps) {
  const { t } = useLingui()
  const stage = useRef<HTMLDivElement>(null)
  const seen = useRef<HTMLCanvasElement>(null)
  const [drag, setDrag] = useState<{ readonly from: Point; readonly to: Point }>()
  const { width, height } = page
  useEffect(() => {
    if (focused !== undefined) stage.current?.querySelectorAll<HTMLElement>('.cover')[focused.index]?.focus()
  }, [focused])
  useEffect(() => {
    if (seen.current !== null) penOf(seen.current).drawImage(page, 0, 0)
  }, [page])

  const pointOf = (event: PointerEvent): Point => {
    const box = stage.current?.getBoundingClientRect()
    if (box === undefined) return { x: 0, y: 0 }
    const scale = width / box.width
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale }
  }
  const press = (event: PointerEvent): void => {
    event.currentTarget.setPointerCapture(event.pointerId)
    const at = pointOf(event)
    setDrag({ from: at, to: at })
  }
  const letGo = (): void => {
    const cover = drag === undefined ? undefined : coverBetween(drag.from, drag.to, page)
    if (cover !== undefined) onChange([...covers, cover])
    setDrag(undefined)
  }
  const onKey = (event: KeyboardEvent, index: number): void => {
    const cover = covers[index]
    if (cover === undefined) return
    if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault()
      return onRemove(index)
    }
    const way = WAYS[event.key]
    if (way === undefined) return
    event.preventDefault()
    const step = Math.min(width, height) * STEP
    const change = event.shiftKey ? resizedCover : movedCover
    const changed = change(cover, way[0] * step, way[1] * step, page)
    onChange(covers.map((other, at) => (at === index ? changed : other)))
  }
  const placeOf = ({ x, y, width: wide, height: high }: Cover) => ({
    left: `${(x / width) * 100}%`,
    top: `${(y / height) * 100}%`,
    width: `${(wide / width) * 100}%`,
    height: `${(high / height) * 100}%`,
  })
  const drawn = drag === undefined ? undefined : coverBetween(drag.from, drag.to, page)

  return (
    <div
      className="cover-stage"
      ref={stage}
      style={{ aspectRatio: width / height, width: `min(100%, ${(56 * width) / height}dvh)` }}
      onPointerDown={press}
      onPointerMove={(event) => (drag === undefined ? undefined : setDrag({ ...drag, to: pointOf(event) }))}
      onPointerUp={letGo}
      onPointerCancel={() => setDrag(undefined)}
    >
      <canvas
        ref={seen}
        width={width}
        height={height}
        role="img"
        aria-label={of === 'picture' ? t`The chosen picture` : t`The page of the bill`}
      />
      {covers.map((cover, index) => {
        const number = index + 1
        return (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- no HTML control moves in two directions
          <div
            // oxlint-disable-next-line react/no-array-index-key -- a cover is its place in the list
            key={index}
            className="cover"
            role="application"
            aria-label={t`Cover ${number}`}
            aria-describedby={hintId}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the arrow keys move it, so it must take the focus
            tabIndex={0}
            style={placeOf(cover)}
            onKeyDown={(event) => onKey(event, index)}
          />
        )
      })}
      {drawn === undefined ? null : <div className="cover drawn" style={placeOf(drawn)} />}
    </div>
  )
}
