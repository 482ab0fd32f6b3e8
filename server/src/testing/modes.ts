/** The modes of a program with its default settings. */
import { type Modes, splitShown } from '@roz/core/modes.ts'
import { POLICY_A } from '@roz/core/split.ts'

export const TEST_MODES: Modes = { split: splitShown(POLICY_A), topupsOn: true, withdrawalsOn: true, tax: null }
