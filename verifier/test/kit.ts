/** What several tests need: the vectors of the specification. */
import { readFileSync } from 'node:fs'

export const vectors = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../spec/vectors/${name}.json`, import.meta.url), 'utf8')) as T
