/**
 * Checks that servers of the previous release keep working during and after a new migration. A release only expands the
 * schema. Removing or tightening comes one release later.
 * - A file that contracts names the release that stopped using it: `-- contracts after 1.1.0`, and that release is out.
 * - A statement that locks a table for as long as the table is large is refused, with the way to write it.
 * - A trigger, a function or a replaced constraint that begins to refuse rows tightens too. No check sees that: a reviewer does.
 */
import { contractsAfter, isBrief, isOlder, isOutsideTransaction } from '../db/migration-file.ts'

type Rule = { readonly what: RegExp; readonly says: string }

/** Statements that remove or tighten something the previous release may still use. */
const CONTRACTS: readonly Rule[] = [
  { what: /^drop (table|view|materialized view|function|type|schema|sequence) /, says: 'removes what the previous release may use' },
  { what: /^alter table .*\bdrop (column )?(?!constraint|default|not null|identity|expression)\w/, says: 'removes a column' },
  { what: /^alter table .*\brename /, says: 'renames: add the new one, fill it, and remove the old one one release later' },
  { what: /^alter (view|function|type|sequence) .*\b(rename|drop) /, says: 'renames or removes what the previous release may use' },
  { what: /^alter table .*\bset not null/, says: 'refuses rows without a value, which the previous release may write' },
  {
    what: /^alter table .*\badd (column )?(if not exists )?(?!constraint)\w+ (?!.*\b(default|generated)\b).*\bnot null/,
    says: 'adds a column that the previous release does not fill: give it a default',
  },
  {
    // A constraint that the same statement drops is replaced, as a list of kinds that grows.
    what: /^alter table (?!.*\bdrop constraint (\w+),.*\badd constraint \1\b).*\badd (constraint|check|unique|primary|foreign|exclude)\b/,
    says: 'refuses rows that the previous release may write',
  },
  { what: /^create unique index /, says: 'refuses rows that the previous release may write' },
  { what: /^alter table .*\bdrop default/, says: 'removes a default that the previous release may rely on' },
  { what: /^revoke /, says: 'takes a right away that the previous release may use' },
  { what: /^delete from app_grant/, says: 'takes a right away that the previous release may use' },
]
/** Statements that lock a table while they read or write all of its rows. */
const LOCKS: readonly Rule[] = [
  {
    what: /^alter table .*\balter (column )?\w+ (set data )?type /,
    says: 'rewrites the table, and changes what the previous release reads: add a column of the new type',
  },
  {
    what: /^create (unique )?index (?!concurrently)/,
    says: 'stops all writes: `create index concurrently` in a file with “-- outside a transaction”',
  },
  {
    what: /^drop index (?!concurrently)/,
    says: 'waits for every reader: `drop index concurrently` in a file with “-- outside a transaction”',
  },
  {
    what: /^alter table .*\badd (constraint|check|foreign)(?!.*\b(not valid|using index)\b)/,
    says: 'reads the whole table under a lock: add it `not valid`, and validate it in a file of its own',
  },
  {
    what: /^alter table .*\badd (column )?.*\bdefault .*\b(random|gen_random_uuid|clock_timestamp|roz_now|nextval)\(/,
    says: 'rewrites the table: add the column without the default, then set it',
  },
  {
    what: /^alter table .*\badd (column )?.*\b(generated always as \(.*stored|generated (always|by default) as identity)/,
    says: 'rewrites the table',
  },
  {
    what: /^(cluster|vacuum full|lock( table)?|truncate|reindex (?!.*concurrently)|refresh materialized view (?!concurrently))\b/,
    says: 'locks the whole table',
  },
  { what: /^(update|delete from) (?!.*\bwhere\b)/, says: 'writes every row in one transaction: let the server fill it in pages' },
]

/** The statements of a migration that affect something the previous release may still use. */
const contractionsIn = (name: string, text: string): string[] => findIn(name, plain(text), CONTRACTS)

/** The faults of a migration that is newer than the newest release. `released` are the versions that are out. */
export function faultsOfMigration(name: string, text: string, released: readonly string[]): string[] {
  const statements = plain(text)
  const after = contractsAfter(text)
  const contracts = contractionsIn(name, text)
  const isOut = after !== undefined && released.includes(after)
  const early =
    after !== undefined && !isOut ? [`${name}: “contracts after ${after}”: this release is not out, so the one before it still runs`] : []
  const unnamed =
    after === undefined
      ? contracts.map((fault) => `${fault}. If no running release uses it: -- contracts after <the release that stopped>`)
      : []
  return [...early, ...unnamed, ...(isBrief(text) ? [] : findIn(name, statements, LOCKS)), ...faultsOfPlace(name, text, statements)]
}

function findIn(name: string, statements: readonly string[], rules: readonly Rule[]): string[] {
  const isNew = newTables(statements)
  return statements
    .filter((statement) => !isNew(statement))
    .flatMap((statement) =>
      rules.filter(({ what }) => what.test(statement)).map(({ says }) => `${name}: “${statement.slice(0, 80)}” ${says}`),
    )
}

/** Faults in a statement's position. */
function faultsOfPlace(name: string, text: string, statements: readonly string[]): string[] {
  const isOutside = isOutsideTransaction(text)
  const needsOutside = statements.some((statement) => /^(create|drop|reindex)\b.*\bconcurrently\b/.test(statement))
  const REPEATABLE = /^(drop index concurrently if exists|create (unique )?index concurrently) /
  const created = statements.flatMap((statement) => /^create (?:unique )?index concurrently (\w+)/.exec(statement)?.[1] ?? [])
  return [
    ...(needsOutside && !isOutside ? [`${name}: “concurrently” needs “-- outside a transaction”`] : []),
    ...(isOutside && !statements.every((statement) => REPEATABLE.test(statement))
      ? [`${name}: only indexes are made outside a transaction`]
      : []),
    ...created
      .filter((index) => !statements.includes(`drop index concurrently if exists ${index}`))
      .map((index) => `${name}: a start that is cut off leaves ${index} unusable: begin with “drop index concurrently if exists ${index}”`),
    ...(statements.some((one) => one.includes(' not valid')) && statements.some((one) => one.includes(' validate constraint '))
      ? [`${name}: validate the constraint in a file of its own, or its lock lasts as long as the check`]
      : []),
  ]
}

/** Statements in one line of lower case, without comments and without the bodies of functions; a `do` block is read. */
function plain(text: string): string[] {
  const bare = text
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase()
  const withoutBodies = bare.replace(/(\bdo )?(\$\w*\$)(.*?)\2/g, (_, isDo: string | undefined, _mark: string, body: string) =>
    isDo === undefined ? "''" : `;${body}`,
  )
  return withoutBodies
    .split(';')
    .map((statement) => statement.trim().replace(/^(begin|declare .*? begin|execute '?|then|else|loop) ?/, ''))
    .filter((statement) => statement !== '')
}

/** True for a statement about a table that this file creates: nobody uses it yet. */
function newTables(statements: readonly string[]): (statement: string) => boolean {
  const tables = statements.flatMap((statement) => /^create table (?:if not exists )?(?:\w+\.)?(\w+)/.exec(statement)?.[1] ?? [])
  return (statement) => {
    const about = /^(?:alter table (?:only )?(?:if exists )?|create (?:unique )?index .*? on (?:only )?|update |delete from )(\w+)/.exec(
      statement,
    )?.[1]
    return about !== undefined && tables.includes(about)
  }
}

/** The versions with a date in the change log, the newest first. */
export const releasedIn = (changeLog: string): string[] =>
  [...changeLog.matchAll(/^## (\d+\.\d+\.\d+) – \d{4}-\d{2}-\d{2}$/gm)]
    .map(([, version]) => version ?? '')
    .sort((a, b) => (isOlder(a, b) ? 1 : -1))
