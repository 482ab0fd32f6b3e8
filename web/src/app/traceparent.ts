/**
 * The header with which the server continues the trace of a call (W3C Trace Context). The browser sends no spans of its own.
 * - `randomUUID` exists only on secure pages (https, localhost): elsewhere no call has the header.
 * - Each call has new random ids: no header connects two calls of a member.
 */
const hex = (): string => crypto.randomUUID().replaceAll('-', '')

/** The last part asks for recording; the server decides by the trace's id. */
export const newTraceparent = (): string => `00-${hex()}-${hex().slice(16)}-01`
