/** Translates TRUST_PROXY for Fastify: a number trusts that many proxies, counted from the nearest; a list trusts those addresses. */
export const trustedProxies = (setting: number | string | false): string | boolean | ((address: string, hop: number) => boolean) =>
  typeof setting === 'number' ? (_address, hop) => hop < setting : setting
