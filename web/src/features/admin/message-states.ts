/** The portal's labels and colours for the states of messages. */
import { msg } from '@lingui/core/macro'
import type { Shown } from './states.ts'

export const MESSAGE_STATES = {
  new: { tone: 'waiting', label: msg`New` },
  open: { tone: 'waiting', label: msg`Open` },
  answered: { tone: 'good', label: msg`Answered` },
  closed: { tone: 'good', label: msg`Closed` },
} as const satisfies Record<string, Shown>
