/**
 * Which mail addresses reach the same mailbox. Used to count mails and to compare accounts, never to send.
 * - Case does not count, nor does a tag after `+`.
 * - Gmail ignores dots, and `googlemail.com` is the same service (https://support.google.com/mail/answer/7436150).
 */
export function mailboxOf(address: string): string {
  const folded = address.trim().normalize('NFC').toLowerCase()
  const at = folded.lastIndexOf('@')
  if (at < 1) return folded
  const domain = folded.slice(at + 1)
  const user = folded.slice(0, at).replace(/(?<=.)\+.*$/u, '')
  return domain === 'gmail.com' || domain === 'googlemail.com' ? `${user.replaceAll('.', '')}@gmail.com` : `${user}@${domain}`
}
