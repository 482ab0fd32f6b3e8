/** Keeps new migrations from stopping the servers of the previous release. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { faultsOfMigration, releasedIn } from '../testing/side-by-side.ts'
import { MIGRATIONS } from './migrate.ts'

const read = (name: string): string => readFileSync(new URL(name, MIGRATIONS), 'utf8')

test('every migration after the newest release leaves the servers of that release working', () => {
  const frozen = Object.keys(JSON.parse(read('released.json')) as object)
  // Before the first release no server of a release runs.
  const later = frozen.length === 0 ? [] : readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql') && !frozen.includes(name))
  const released = releasedIn(read('../../CHANGELOG.md'))
  expect(later.flatMap((name) => faultsOfMigration(name, read(name), released))).toEqual([])
})

const faults = (sql: string): string[] => faultsOfMigration('0100_x.sql', sql, ['1.1.0', '1.0.0'])

describe('a contracting statement is refused unless it names the release that stopped using the object', () => {
  test.each([
    'drop table story',
    'drop view parked_work',
    'drop function throttle_take(bytea[], int[], int[])',
    'alter table member drop column phone',
    'alter table member drop phone',
    'alter table member rename column phone to mobile',
    'alter table member rename to person',
    'alter table member alter column phone set not null',
    'alter table member alter column language drop default',
    'alter table member add column nick text not null',
    'alter table topup add constraint few check (amount < 10) not valid',
    'alter table topup\n  add unique (payment_id)',
    'revoke update on member from roz_app',
    'do $$ begin alter table member drop column phone; end $$',
  ])('%s', (statement) => {
    expect(faults(`${statement};`)).toEqual([expect.stringContaining('contracts after <the release')])
    expect(faults(`-- Nobody reads it since 1.1.0.\n-- contracts after 1.1.0\n${statement};`)).toEqual([])
  })

  test('a release that is not out yet is refused: servers of the previous one still run', () => {
    expect(faults('-- contracts after 1.2.0\ndrop table story;')).toEqual([expect.stringContaining('this release is not out')])
  })

  test('a name in a comment below the first statement does not count', () => {
    expect(faults('select 1;\n-- contracts after 1.1.0\ndrop table story;')).toHaveLength(1)
  })
})

describe('a statement that locks a table for long is refused', () => {
  test.each([
    ['create index a on transfer (ref)', 'create index concurrently'],
    ['drop index a', 'drop index concurrently'],
    ['alter table transfer alter column ref type varchar(40)', 'rewrites the table'],
    ['alter table transfer add column at timestamptz default roz_now()', 'rewrites the table'],
    ['alter table transfer add column n bigint generated always as identity', 'rewrites the table'],
    ["update member set language = 'en'", 'in pages'],
    ['lock table member', 'locks the whole table'],
    ['truncate story_view', 'locks the whole table'],
  ])('%s', (statement, words) => {
    expect(faults(`${statement};`)).toEqual([expect.stringContaining(words)])
    expect(faults(`-- brief: the table has a row a day\n${statement};`)).toEqual([])
  })

  test('a constraint is added not valid, and validated in a file of its own', () => {
    const add = 'alter table topup add constraint few check (amount < 10)'
    expect(faults(`-- contracts after 1.1.0\n${add};`)).toEqual([expect.stringContaining('not valid')])
    expect(faults(`-- contracts after 1.1.0\n${add} not valid;\nalter table topup validate constraint few;`)).toEqual([
      expect.stringContaining('in a file of its own'),
    ])
    expect(faults('alter table topup validate constraint few;')).toEqual([])
  })

  test('an index is made outside a transaction, in a file of its own that can run again', () => {
    const make = 'create index concurrently a on transfer (ref);'
    expect(faults(make)).toHaveLength(2)
    expect(faults(`-- outside a transaction\n${make}`)).toEqual([
      expect.stringContaining('begin with “drop index concurrently if exists a”'),
    ])
    expect(faults(`-- outside a transaction\ndrop index concurrently if exists a;\n${make}`)).toEqual([])
    expect(faults(`-- outside a transaction\ndrop index concurrently if exists a;\n${make}\nselect 1;`)).toHaveLength(1)
  })
})

test('statements that only expand pass: tables, their indexes, columns, functions, kinds, rights', () => {
  const sql = `
    -- What the desk wrote on a request.
    create table desk_word (id bigint primary key, words text not null check (length(words) < 10));
    create index desk_word_newest on desk_word (id desc);
    create unique index desk_word_once on desk_word (words);
    alter table desk_word add constraint short check (length(words) < 5);
    alter table member add column nick text, add column seen boolean not null default false;
    alter table member alter column language set default 'en';
    create or replace function desk_words() returns int language plpgsql as $$ begin delete from desk_word; drop table story; return 1; end $$;
    insert into transfer_allowed (kind) values ('new');
    update member set nick = name where id = 1;
    select app_may('select, insert', 'desk_word');`
  expect(faults(sql)).toEqual([])
})

test('only a version with a date is a release', () => {
  expect(releasedIn('# Changes\n\n## 1.2.0 – not released yet\n\n## 1.0.0 – 2026-12-01\n\n## 1.1.0 – 2027-01-01\n')).toEqual([
    '1.1.0',
    '1.0.0',
  ])
})
