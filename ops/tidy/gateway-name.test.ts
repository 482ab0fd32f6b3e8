/** Checks the list of files that a second payment gateway would affect: every file of core, contract, server and web outside the adapters whose code names Cashfree. */
import { expect, test } from 'vitest'
import { code } from './source.ts'

const withoutComments = (text: string): string => text.replace(/\/\*[^]*?\*\/|(?<!:)\/\/.*$/gm, '')
const PORT = 'server/src/adapters/payments/port.ts'

test("the gateway's port lists every file outside the adapters that names Cashfree", () => {
  const header = /^\/\*\*[^]*?\*\//.exec(code.find(({ name }) => name === PORT)?.text ?? '')?.[0] ?? ''
  const listed = [...header.matchAll(/ \* - `([^`]+)`/g)].map((match) => match[1] as string)
  const naming = code
    .filter(({ name, isTest }) => !isTest && /^(core|contract|server|web)\/src\//.test(name) && !name.startsWith('server/src/adapters/'))
    .filter(({ text }) => /cashfree/i.test(withoutComments(text)))
  expect(listed.toSorted()).toEqual(naming.map(({ name }) => name).toSorted())
  expect(listed.length).toBeGreaterThan(5)
})
