/**
 * What time it is by the server. The device's clock may be wrong by hours; each answer about the
 * round corrects it. Days on the screens are days of this clock.
 */
let skewMs = 0

export function setServerTime(serverTime: string): number {
  skewMs = Date.parse(serverTime) - Date.now()
  return skewMs
}

export const serverNowMs = (): number => Date.now() + skewMs
