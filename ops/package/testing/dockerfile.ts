/** Reads the Dockerfile: its stages with their steps, and how the last one runs. */
import { readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../../..')

type Step = { readonly does: string; readonly words: string }
export type Stage = { readonly from: string; readonly name: string | undefined; readonly steps: readonly Step[] }

export function readStages(): Stage[] {
  const stages: { from: string; name: string | undefined; steps: Step[] }[] = []
  for (const line of readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, does = '', words = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    if (does === 'FROM') {
      const [from = '', name] = words.split(' AS ')
      stages.push({ from, name, steps: [] })
    } else stages.at(-1)?.steps.push({ does, words })
  }
  return stages
}

const wordsOf = (stage: Stage, does: string): string[] => stage.steps.filter((step) => step.does === does).map(({ words }) => words)

/** The user, settings, volumes and command of a container of the stage. */
export function configOf(stage: Stage) {
  const only = (does: string): string => wordsOf(stage, does).at(-1) ?? ''
  const env = wordsOf(stage, 'ENV').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const)
  return {
    user: only('USER'),
    folder: only('WORKDIR'),
    env: Object.fromEntries(env) as Readonly<Record<string, string>>,
    volumes: wordsOf(stage, 'VOLUME'),
    ports: wordsOf(stage, 'EXPOSE'),
    stopSignal: only('STOPSIGNAL'),
    entrypoint: JSON.parse(only('ENTRYPOINT') || '[]') as readonly string[],
  }
}

export const IMAGE = configOf(readStages().at(-1) as Stage)
