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
      pass: t`Every file of the day is public and has its exact form.`,
      fail: t`A file does not have the form that the protocol gives it.`,
    },
    'log-signature': {
      title: t`The log is signed`,
      pass: t`The list of all days is signed by our key.`,
      fail: t`A signature is wrong: this is not the log that we signed.`,
    },
    'log-consistency': {
      title: t`The past was not rewritten`,
      pass: t`The log only grew; what was in it is still in it.`,
      fail: t`The log was changed after the fact, or shows different people different things.`,
    },
    'log-order': {
      title: t`No day is left out`,
      pass: t`Days follow each other without a gap, each with all its records.`,
      fail: t`A record stands where it may not stand.`,
    },
    'log-inclusion': {
      title: t`This day is in the log`,
      pass: t`What is shown of this day is what the log holds.`,
      fail: t`The files of this day say something else than the log.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}

function useDrawWords() {
  const { t } = useLingui()
  return {
    'entries-root': {
      title: t`The list matches its seal`,
      pass: t`No ticket was added, dropped or swapped after the sealing.`,
      fail: t`The list of tickets is not the one that was sealed.`,
    },
    'sealed-in-time': {
      title: t`The seal came before the number`,
      pass: t`Witnesses who are not us saw the sealed list in time.`,
      fail: t`What is said about the sealing is not true.`,
    },
    'beacon-round': {
      title: t`It is the right number`,
      pass: t`The number is the one that the hour of sealing demands.`,
      fail: t`Another number was used than the hour of sealing demands.`,
    },
    'beacon-signature': {
      title: t`The number is genuine`,
      pass: t`The number carries the signature of the public source.`,
      fail: t`The number is not what its source gave out.`,
    },
    seed: {
      title: t`The sum begins right`,
      pass: t`Seal and number were mixed as the rules say.`,
      fail: t`The mix of seal and number is wrong.`,
    },
    winners: {
      title: t`The sum leads to the winner`,
      pass: t`Your device came to the same winner.`,
      fail: t`The sum leads to somebody else.`,
    },
    split: {
      title: t`The pot was shared by the rule`,
      pass: t`The shares are right to the paisa.`,
      fail: t`A share is not what the rule gives.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}

function useMoneyWords() {
  const { t } = useLingui()
  return {
    'books-balance': {
      title: t`The day's books balance`,
      pass: t`What came in equals what went out and what is left.`,
      fail: t`The day's books do not add up.`,
    },
    'carry-over': {
      title: t`The books go on from yesterday`,
      pass: t`Each account begins where it ended the day before.`,
      fail: t`An account begins with another amount than it ended with.`,
    },
    'liabilities-total': {
      title: t`What members are owed is all there`,
      pass: t`All parts that members are owed add up to the books.`,
      fail: t`The parts that members are owed do not add up to the books.`,
    },
    receipt: {
      title: t`A receipt that you gave`,
      pass: t`The ticket of your receipt is in the list.`,
      fail: t`Your receipt and the list contradict each other. Keep both.`,
    },
  } as const satisfies Partial<Record<StepName, StepWords>>
}
