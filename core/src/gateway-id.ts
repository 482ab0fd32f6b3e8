/** Ids at the gateways, and of a bank transfer's payment: our UUID without its dashes. A member's idempotency key is never sent to a gateway. */
export const gatewayIdOf = (uuid: string): string => uuid.replaceAll('-', '')

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/
/** The UUID behind a gateway's id; undefined if the id is not ours. */
export const uuidOf = (gatewayId: string): string | undefined =>
  HEX.test(gatewayId) ? gatewayId.replace(HEX, '$1-$2-$3-$4-$5') : undefined
