/** Tests the decryption that the tests use, with the example of RFC 8291 (section 5 and appendix A). */
import { expect, test } from 'vitest'
import { readPush } from './push-service.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url')
const BODY = bytes(
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
)
const READER = { privateKey: bytes('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94'), auth: bytes('BTBZMqHH6r4Tts7J_aSIgg') }

test('the example message of the RFC is decrypted', () => {
  expect(readPush(BODY, READER).toString()).toBe('When I grow up, I want to be a watermelon')
})

test('a changed message is refused', () => {
  for (const at of [0, 20, 30, BODY.length - 1]) {
    const changed = Buffer.from(BODY)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(() => readPush(changed, READER)).toThrow()
  }
})
