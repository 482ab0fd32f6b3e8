/** Tests which addresses count as one mailbox. */
import { expect, test } from 'vitest'
import { mailboxOf } from './mailbox.ts'

test.each([
  ['Asha@X.test ', 'asha@x.test'],
  ['asha+roz@x.test', 'asha@x.test'],
  ['a.s.h.a@x.test', 'a.s.h.a@x.test'],
  ['A.s.h.a+1@googlemail.com', 'asha@gmail.com'],
  ['asha@gmail.com', 'asha@gmail.com'],
  // A tag without a user is the user.
  ['+tag@x.test', '+tag@x.test'],
  ['nothing', 'nothing'],
])('%s reaches the mailbox %s', (address, mailbox) => {
  expect(mailboxOf(address)).toBe(mailbox)
})
