/** Addresses of the run's PostgreSQL by role: who may do anything, who owns the tables, who the server works as. */
export type Role = 'superuser' | 'owner' | 'app'
export type ServerUrls = Readonly<Record<Role, string>>

export const APP_ROLE = 'roz_app'
export const TEMPLATE = 'roz_template'

/** The address of one database as a role. */
export function urlOf(urls: ServerUrls, role: Role, database: string): string {
  const url = new URL(urls[role])
  url.pathname = `/${database}`
  return url.href
}
