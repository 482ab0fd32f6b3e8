/** Types of the modules that the build generates (web/build/calls.ts, web/build/content.ts). */
declare module 'virtual:calls' {
  import type { Api, CallName } from '@roz/contract/api.ts'
  /** Every call except webhooks and published files. */
  export type ScreenCall = {
    [N in CallName]: Api[N] extends { readonly access: 'signed' } | { readonly access: 'visitor'; readonly output: 'file' } ? never : N
  }[CallName]
  /** The method and path of each call: the contract without its schemas, which a browser need not load. */
  export type CallTable<N extends ScreenCall> = Readonly<Record<N, readonly [method: string, path: string]>>
  /** The calls of the portal: its own table has them. */
  export type PortalCall = {
    [N in ScreenCall]: Api[N] extends { readonly access: 'admin' } | { readonly path: `/admin/${string}` } ? N : never
  }[ScreenCall]
  /** The calls of AutoPay: a table of their own, where it is offered. */
  export type AutopayCall = {
    [N in ScreenCall]: Api[N] extends { readonly path: '/autopay' | `/autopay/${string}` } ? N : never
  }[ScreenCall]
  /** The calls of the app and of the public pages. */
  export const calls: CallTable<Exclude<ScreenCall, PortalCall | AutopayCall>>
}
declare module 'virtual:forms' {
  import type { AutopayCall, PortalCall, ScreenCall } from 'virtual:calls'
  import type { Form } from '../build/forms.ts'
  export type Forms<N extends ScreenCall> = Readonly<Record<N, Form>>
  export const forms: Forms<Exclude<ScreenCall, PortalCall | AutopayCall>>
}
declare module 'virtual:autopay-calls' {
  import type { AutopayCall, CallTable } from 'virtual:calls'
  import type { Forms } from 'virtual:forms'
  export const forms: Forms<AutopayCall>
  export const calls: CallTable<AutopayCall>
}
declare module 'virtual:portal-calls' {
  import type { CallTable, PortalCall } from 'virtual:calls'
  import type { Forms } from 'virtual:forms'
  export const forms: Forms<PortalCall>
  export const calls: CallTable<PortalCall>
}
/** The words of a catalogue by language (web/build/catalogues.ts). */
declare module 'virtual:words/*' {
  import type { Messages } from '@lingui/core'
  import type { Language } from '@roz/core/language.ts'
  export const words: Readonly<Record<Language, () => Promise<{ readonly messages: Messages }>>>
}
declare module 'virtual:words-of-pages' {
  import type { Messages } from '@lingui/core'
  import type { Language } from '@roz/core/language.ts'
  export const words: Readonly<Record<Language, Messages>>
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
