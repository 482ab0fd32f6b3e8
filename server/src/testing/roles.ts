/** The three roles of a test database: who may do anything, who owns the tables, who the server works as. */
export const ROLES = {
  superuser: { name: 'postgres', password: 'super' },
  owner: { name: 'roz_owner', password: 'owner' },
  app: { name: 'roz_app', password: 'app' },
} as const
export type Role = keyof typeof ROLES

export const TEMPLATE = 'roz_template'

export const urlOf = (port: number, role: Role, database: string): string =>
  `postgres://${ROLES[role].name}:${ROLES[role].password}@127.0.0.1:${port}/${database}`
