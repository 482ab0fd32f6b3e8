/** Ids at the gateways: our UUID without its dashes, for ever. A member's own key never leaves us. */
export const gatewayIdOf = (uuid: string): string => uuid.replaceAll('-', '')

const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/
/** The UUID behind an id that a gateway names; undefined when it is none of ours. */
export const uuidOf = (gatewayId: string): string | undefined =>
  HEX.test(gatewayId) ? gatewayId.replace(HEX, '$1-$2-$3-$4-$5') : undefined
