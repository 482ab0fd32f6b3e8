/** Says how and when somebody other than the payer confirmed that help arrived. */
import type { Received } from '@roz/contract/rupee.ts'
import { RECEIVED_WORDS } from '@roz/core/arrival-fields.ts'
import type { Language } from '@roz/core/language.ts'
import { formatDay } from '../ui/format.ts'

type ReceivedProps = { readonly received: Received | null; readonly language: Language }

export const ReceivedLine = ({ received, language }: ReceivedProps) =>
  received === null ? null : (
    <span className="block">{RECEIVED_WORDS[received.how][language].replace('{on}', formatDay(received.on, language))}</span>
  )
