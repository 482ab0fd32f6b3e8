/** Runs a program of ours to its end and measures its time and memory. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Prints the peak resident set in MB from /proc (VmHWM): `resourceUsage().maxRSS` would start at the parent's value. */
const WATCHED = `
import { readFileSync } from 'node:fs'
const peakMb = () => Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024
process.on('exit', () => process.stderr.write('peak ' + peakMb() + ' cpu ' + (process.cpuUsage().user + process.cpuUsage().system) / 1e6))
`

export type Watched = {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly peakMb: number
  readonly exitCode: number
}

export async function runWatched(program: string, args: readonly string[]): Promise<Watched & { readonly out: string }> {
  const began = performance.now()
  const watched = `data:text/javascript,${encodeURIComponent(WATCHED)}`
  const child = spawn(process.execPath, ['--import', watched, program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  const seconds = (performance.now() - began) / 1000
  const [, peak = 'NaN', cpu = 'NaN'] = /peak ([\d.]+) cpu ([\d.]+)/.exec(err) ?? []
  return { seconds, cpuSeconds: Number(cpu), peakMb: Number(peak), exitCode: code ?? -1, out }
}
