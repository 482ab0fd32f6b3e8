/**
 * Tabs with arrow keys.
 * - The panel of the selected tab is below the row of tabs.
 * - Tabs with groups form a column beside the panel where the page is wide, with the group's name above its tabs.
 */
import { Fragment, type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'

type Tab<Id extends string> = { readonly id: Id; readonly label: string; readonly group?: string }
type TabsProps<Id extends string> = {
  readonly label: string
  readonly tabs: readonly Tab<Id>[]
  readonly value: Id
  readonly onChange: (id: Id) => void
  readonly children: ReactNode
}

export function Tabs<Id extends string>({ label, tabs, value, onChange, children }: TabsProps<Id>) {
  const base = useId()
  const list = useRef<HTMLDivElement>(null)
  // On a phone the tabs scroll sideways, and the selected tab must be visible. scrollIntoView would also scroll the page.
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    if (chosen)
      list.current?.scrollTo({ left: chosen.offsetLeft - list.current.offsetLeft - (list.current.clientWidth - chosen.offsetWidth) / 2 })
  }, [value])
  const onKeyDown = (event: KeyboardEvent<HTMLButtonElement>): void => {
    const at = tabs.findIndex((tab) => tab.id === value)
    const target = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tabs.length - 1 }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const next = tabs[(target + tabs.length) % tabs.length]
    if (next === undefined) return
    onChange(next.id)
    document.getElementById(`${base}-${next.id}`)?.focus()
  }
  return (
    <div className={tabs[0]?.group === undefined ? undefined : 'tab-columns'}>
      <div className="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map((tab, at) => (
          <Fragment key={tab.id}>
            {tab.group === tabs[at - 1]?.group ? null : (
              <span className="tab-group" aria-hidden="true">
                {tab.group}
              </span>
            )}
            <button
              id={`${base}-${tab.id}`}
              role="tab"
              type="button"
              aria-selected={tab.id === value}
              aria-controls={`${base}-panel`}
              tabIndex={tab.id === value ? 0 : -1}
              onClick={() => onChange(tab.id)}
              onKeyDown={onKeyDown}
            >
              {tab.label}
            </button>
          </Fragment>
        ))}
      </div>
      <div className="tab-panel" role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${value}`} tabIndex={0}>
        {children}
      </div>
    </div>
  )
}
