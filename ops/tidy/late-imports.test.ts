/** Checks that a start loads no library that takes memory and serves only some processes. */
import { expect, test } from 'vitest'
import { code } from './source.ts'

/** Each is imported with `import()` where it is first needed. */
const LATE = ['sharp', 'nodemailer', '@opentelemetry/sdk-trace', '@opentelemetry/exporter-trace-otlp-http']
const BEGIN = 'server/src/main.ts'

const byName = new Map(code.map((file) => [file.name, file]))

/** The packages that the file loads before its first line runs, each with the imports that lead to it. */
function packagesOf(begin: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const ways = new Map([[begin, begin]])
  for (const [name, way] of ways) {
    for (const { specifier, target, typeOnly, isDeferred } of byName.get(name)?.imports ?? []) {
      if (typeOnly || isDeferred) continue
      if (target === undefined) found.set(specifier, found.get(specifier) ?? `${way} → ${specifier}`)
      else if (!ways.has(target)) ways.set(target, `${way} → ${target}`)
    }
  }
  return found
}

test('a start loads no library that only pictures, mail or traces need', () => {
  const loaded = packagesOf(BEGIN)
  expect([...loaded.keys()]).toEqual(expect.arrayContaining(['fastify', 'pg']))
  expect(
    LATE.flatMap((late) => loaded.get(late) ?? []),
    'Import it with import() where it is first used.',
  ).toEqual([])
  const used = new Set(
    code.filter(({ name }) => name.startsWith('server/src/')).flatMap(({ imports }) => imports.map(({ specifier }) => specifier)),
  )
  expect(LATE.filter((late) => !used.has(late))).toEqual([])
})
