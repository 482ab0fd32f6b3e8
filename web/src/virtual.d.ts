/** Modules that the build makes (build/calls.ts). */
declare module 'virtual:calls' {
  import type { Api, CallName } from '@roz/contract/api.ts'
  /** Neither a webhook nor a published file. */
  export type ScreenCall = {
    [N in CallName]: Api[N] extends { readonly access: 'signed' } | { readonly output: 'file' } ? never : N
  }[CallName]
  /** Method and path of every call that a screen makes: the contract without its schemas, which a browser need not load. */
  export const calls: Readonly<Record<ScreenCall, readonly [method: string, path: string]>>
}
declare module '*.po' {
  import type { Messages } from '@lingui/core'
  export const messages: Messages
}
declare module 'virtual:content' {
  import type { Language } from '@roz/core/language.ts'
  type Texts = Readonly<
    Record<
      | 'privacy-policy'
      | 'terms'
      | 'refund-policy'
      | 'help-center'
      | 'daily-contributions'
      | 'direct-help-process'
      | 'giveaway-selection'
      | 'video-documentation'
      | 'money-trail'
      | 'verify-trust',
      string
    >
  >
  export const content: Readonly<Record<Language, Texts>>
}
