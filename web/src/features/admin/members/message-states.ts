/** The portal's labels and colours for the states of messages. */
import { msg } from '@lingui/core/macro'
import type { Shown } from '../states.ts'

export const MESSAGE_STATES = {
  new: { tone: 'waiting', label: msg`New` },
  open: { tone: 'waiting', label: msg`In progress` },
  answered: { tone: 'good', label: msg`Answered` },
  closed: { tone: 'good', label: msg`Closed` },
} as const satisfies Record<string, Shown>

/** By what the list of messages is narrowed. */
export const MESSAGE_FILTERS = { unanswered: { tone: 'waiting', label: msg`Unanswered` }, ...MESSAGE_STATES } as const satisfies Record<
  string,
  Shown
>
