/** `npm run package`: makes .build/package/roz, the folder for a server. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { bundle, ROOT } from './bundle.ts'

const web = process.env.WEB_DIR
if (web === undefined) throw new Error('WEB_DIR is not set: run npm run package')
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const to = path.join(ROOT, '.build/package')
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
bundle(path.join(to, 'roz'), { node: process.execPath, web })
process.stdout.write(`${path.join(to, 'roz')}: copy it to /opt/roz-${version}, link /opt/roz to it, and install ops/package/roz.service.\n`)
