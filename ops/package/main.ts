/** `npm run package`: makes .build/package/roz, the folder for a server, and .build/package/image, the same as an OCI image. */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { bundle, ROOT } from './bundle.ts'
import { makeRoot, writeImage } from './image.ts'

const web = process.env.WEB_DIR
if (web === undefined) throw new Error('WEB_DIR is not set: run npm run package')
const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
const to = path.join(ROOT, '.build/package')
rmSync(to, { recursive: true, force: true })
mkdirSync(to, { recursive: true })
bundle(path.join(to, 'roz'), { node: process.execPath, web })
makeRoot(path.join(to, 'root'), path.join(to, 'roz'))
const digest = writeImage(path.join(to, 'image'), path.join(to, 'root'), version)
rmSync(path.join(to, 'root'), { recursive: true, force: true })
process.stdout.write(`${path.join(to, 'roz')}: copy it to /opt/roz-${version}, link /opt/roz to it, and install ops/package/roz.service.\n`)
process.stdout.write(
  `${path.join(to, 'image')}: the image ${version}, ${digest}. Load it with: skopeo copy oci:${path.join(to, 'image')} docker-daemon:roz:${version}\n`,
)
