/** The fields of a step-up, its call and its refusals, for each form with StepUpFields.tsx. */
import { t } from '@lingui/core/macro'
import { givenPassword } from '@roz/core/person-fields.ts'
import { secondFactor } from '@roz/core/staff-fields.ts'
import * as z from 'zod/mini'
import { ApiError, call } from '../../app/api.ts'
import { toast } from '../../ui/Toast.tsx'

export type StepUpAsks = 'password' | 'code' | 'passkey' | undefined
export type StepUpGiven = { readonly password: string; readonly code: string }

const none = z.string()
export const stepUpRules = (asks: StepUpAsks) => ({
  password: asks === 'password' ? givenPassword : none,
  code: asks === 'code' || asks === 'passkey' ? secondFactor : none,
})

export async function sendStepUp(asks: StepUpAsks, { password, code }: StepUpGiven): Promise<void> {
  if (asks !== undefined) await call('stepUp', { body: asks === 'password' ? { password } : { totp: code } })
}

/** Shows what a step-up was refused for; false where the failure has another cause. */
export function showRefusedStepUp(
  error: unknown,
  setError: (field: keyof StepUpGiven, problem: { readonly message: string }) => void,
  setAsks: (asks: StepUpAsks) => void,
): boolean {
  if (error instanceof DOMException) {
    toast.error(t`The passkey was not used. Please try again.`)
    return true
  }
  if (!(error instanceof ApiError)) return false
  if (error.code === 'code_required') setAsks('code')
  else if (error.code === 'passkey_required') setAsks('passkey')
  else if (error.code === 'wrong_passkey') toast.error(error.message)
  else if (error.code === 'wrong_code' || error.code === 'passkeys_only') setError('code', { message: error.message })
  else if (error.code === 'wrong_password') setError('password', { message: error.message })
  else return false
  return true
}
