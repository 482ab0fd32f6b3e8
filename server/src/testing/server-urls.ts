/** Addresses of the run's PostgreSQL by role: superuser, owner of the tables, and the server's own role. */
type Role = 'superuser' | 'owner' | 'app'
export type ServerUrls = Readonly<Record<Role, string>>

export const APP_ROLE = 'roz_app'
export const TEMPLATE = 'roz_template'

/** The address of one database for one role. */
export function urlOf(urls: ServerUrls, role: Role, database: string): string {
  const url = new URL(urls[role])
  url.pathname = `/${database}`
  return url.href
}
