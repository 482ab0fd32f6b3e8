/**
 * Plain words for each step of the verifier: its title, and the meaning of pass and fail. Total over the steps. WeakWords.tsx has the weak
 * ones.
 */
import { useLingui } from '@lingui/react/macro'
import type { StepName } from '@roz/verifier/steps.ts'

export type StepWords = {
  readonly title: string
  readonly pass: string
  readonly fail: string
}

export function useStepWords(): Readonly<Record<StepName, StepWords>> {
  const draw = useDrawWords()
  const log = useLogWords()
  const money = useMoneyWords()
  // In the verifier's order, which is the order on the page.
  return { ...log, ...draw, ...money }
}

function useLogWords() {
  const { t } = useLingui()
  return {
    files: {
      title: t`All files are there`,
      pass: t`Every file of the day is public and complete.`,
      fail: t`A file is not in the format that the rules ask for.`,
    },
    'log-signature': {
      title: t`We signed the list of days`,
      pass: t`We signed the list of all days with our key.`,
      fail: t`A signature is wrong: this is not the log that we signed.`,
    },
    'log-consistency': {
      title: t`No old day was changed`,
      pass: t`Days were only added; all older records are still there.`,
      fail: t`An old record was changed, or different people are shown different records.`,
    },
    'log-order': {
      title: t`No day is left out`,
      pass: t`Days follow each other without a gap, each with all its records.`,
      fail: t`A record is out of place.`,
    },
    'log-inclusion': {
      title: t`This day is in the log`,
      pass: t`The files of this day match the log.`,
      fail: t`The files of this day do not match the log.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}

function useDrawWords() {
  const { t } = useLingui()
  return {
    'entries-root': {
      title: t`The list of tickets was not changed`,
      pass: t`No ticket was added, removed or swapped after the list was sealed.`,
      fail: t`The list of tickets is not the one that was sealed.`,
    },
    'sealed-in-time': {
      title: t`The list was closed before the random number existed`,
      pass: t`Outside witnesses confirmed the sealed list in time.`,
      fail: t`The record of the seal is wrong.`,
    },
    'beacon-round': {
      title: t`The right random number was used`,
      pass: t`The random number is the one that belongs to the time of the seal.`,
      fail: t`This is not the random number that belongs to the time of the seal.`,
    },
    'beacon-signature': {
      title: t`The random number is genuine`,
      pass: t`The random number is signed by its public source.`,
      fail: t`The random number is not the one its source published.`,
    },
    seed: {
      title: t`The calculation uses this list and this number`,
      pass: t`The calculation starts from this list and this number.`,
      fail: t`The calculation does not start from this list and this number.`,
    },
    winners: {
      title: t`The calculation gives this result`,
      pass: t`Your device got the same result.`,
      fail: t`Your device got a different result.`,
    },
    split: {
      title: t`The round was split by the rule`,
      pass: t`The shares are right to the paisa.`,
      fail: t`A share is not what the rule says.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}

function useMoneyWords() {
  const { t } = useLingui()
  return {
    'books-balance': {
      title: t`The day's money adds up`,
      pass: t`What came in equals what went out and what is left.`,
      fail: t`The day's money does not add up.`,
    },
    'carry-over': {
      title: t`The accounts continue from the day before`,
      pass: t`Each account starts where it ended the day before.`,
      fail: t`An account starts with a different amount than it ended with.`,
    },
    'liabilities-total': {
      title: t`Members' money is all counted`,
      pass: t`All members' money adds up to our accounts.`,
      fail: t`Members' money does not add up to our accounts.`,
    },
    solvency: {
      title: t`We have what we owe`,
      pass: t`Our share covers fees and losses.`,
      fail: t`The day's money does not add up.`,
    },
    receipt: {
      title: t`Your receipt`,
      pass: t`The ticket of your receipt is in the list.`,
      fail: t`Your receipt and the list do not match. Keep both as evidence.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}
