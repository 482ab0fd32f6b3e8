/** The modes of a program with its default settings, and the frame that they give a mail. */
import { type Modes, splitShown } from '@roz/core/modes.ts'
import { POLICY_A } from '@roz/core/split.ts'
import type { MailFrame } from '../mail/mail-texts.ts'

export const TEST_MODES: Modes = { split: splitShown(POLICY_A), topupsOn: true, withdrawalsOn: true, tax: null }

export const TEST_FRAME: MailFrame = {
  brandName: 'Roz',
  topupMin: '₹10',
  topupMax: '₹30',
  supportEmail: 's@x.test',
  modes: TEST_MODES,
  link: (path) => path,
  token: '',
}
