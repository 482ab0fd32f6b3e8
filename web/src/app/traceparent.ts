/**
 * The header by which the server goes on in the trace of a call (W3C Trace Context). The browser sends no spans of its own.
 * - Each call has new random ids: no header connects two calls of a member.
 */
const hex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The last part asks for recording; the server decides by the trace's id. */
export const newTraceparent = (): string => `00-${hex(16)}-${hex(8)}-01`
