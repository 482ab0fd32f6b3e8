/** The words of the review list: what accounts share, and what it may mean. */
import { msg } from '@lingui/core/macro'
import type { MessageDescriptor } from '@lingui/core'
import type { Api, Output } from '@roz/contract/api.ts'

type Kind = Output<Api['flags']>['flags'][number]['kind']

export const SIGNAL_KINDS = {
  phone: { title: msg`Same phone number`, hint: msg`Often a family with one phone.` },
  bank: { title: msg`Same bank account`, hint: msg`Withdrawals of several accounts go to one bank account.` },
  device: { title: msg`Same device and network`, hint: msg`The same browser at the same network address. Often a family or a shop.` },
  network: { title: msg`Same network address`, hint: msg`A house, an office or a whole town can share one.` },
  mailbox: { title: msg`Same mailbox`, hint: msg`Addresses that differ by dots at Gmail, or by a tag after +, reach one person.` },
  young_money: {
    title: msg`Quick withdrawal from a new account`,
    hint: msg`The account was less than seven days old, and the money had been added less than three days before.`,
  },
} as const satisfies Record<Kind, { readonly title: MessageDescriptor; readonly hint: MessageDescriptor }>
