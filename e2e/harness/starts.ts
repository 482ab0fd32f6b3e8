/** `npm start` on data of a test. */
import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { launch, type Launched } from '../../ops/launch/launched.ts'
import { copyFirstData } from './first-data.ts'
import { freePorts } from './program.ts'

type StartOptions = {
  readonly dataDir?: string
  readonly command?: readonly string[]
  readonly isFirst?: boolean
  readonly env?: Readonly<Record<string, string>>
}
/** Returns a function that starts with data below the folder: a copy of the data of a first start, unless `isFirst` is set. */
export function startsIn(folder: string): (options?: StartOptions) => Promise<Launched & { readonly dataDir: string }> {
  let count = 0
  return async ({ dataDir = path.join(folder, `data ${++count}`), command, isFirst, env = {} } = {}) => {
    if (!existsSync(dataDir) && isFirst !== true) {
      mkdirSync(dataDir, { mode: 0o711 })
      copyFirstData(dataDir)
    }
    const launched = launch({ port: await freePorts(), dataDir, env, ...(command === undefined ? {} : { command }) })
    return { ...launched, dataDir }
  }
}
