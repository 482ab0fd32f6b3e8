/** TRUST_PROXY as Fastify wants it: a hop count counts proxies from the nearest one, a list names their addresses. */
export const trustedProxies = (setting: number | string | false): string | boolean | ((address: string, hop: number) => boolean) =>
  typeof setting === 'number' ? (_address, hop) => hop < setting : setting
