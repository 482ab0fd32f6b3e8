/** Where uploads are stored: STORAGE_URL, or the folder under DATA_DIR. */
import path from 'node:path'
import type { StoragePlace } from '../adapters/storage/open-storage.ts'
import type { Settings } from './settings.ts'

const ADDRESS = 's3://bucket/prefix?endpoint=https://…&region=…'
const uploadsIn = (dataDir: string): StoragePlace => ({ kind: 'files', folder: path.join(dataDir, 'uploads') })

export function storageSettings(settings: Settings, dataDir: string, mayBePlain: (host: string) => boolean): StoragePlace {
  const url = settings.text('STORAGE_URL')
  return url === undefined ? uploadsIn(dataDir) : (s3Place(settings, url, mayBePlain) ?? uploadsIn(dataDir))
}

/** Undefined after a complaint. No complaint shows a key. */
function s3Place(settings: Settings, url: string, mayBePlain: (host: string) => boolean): StoragePlace | undefined {
  const given = URL.canParse(url) ? new URL(url) : undefined
  const region = given?.searchParams.get('region') ?? 'us-east-1'
  const endpoint = given?.searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  const style = given?.searchParams.get('style') ?? 'path'
  const isAddress = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)
  if (given?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(given.host) || given.username !== '' || !isAddress) {
    settings.complain(`STORAGE_URL: an address such as ${ADDRESS}, without keys`)
    return undefined
  }
  if (!['path', 'host'].includes(style)) settings.complain('STORAGE_URL: style is path or host')
  if (!endpoint.startsWith('https:') && !mayBePlain(new URL(endpoint).hostname))
    settings.complain(`STORAGE_URL: production needs https:// to the file store`)
  for (const key of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const) settings.required(key)
  const prefix = given.pathname.replace(/^\/+|\/+$/g, '')
  // Stores escape other characters in their lists, each in its own way.
  if (!/^[A-Za-z0-9._/-]*$/.test(prefix) || prefix.includes('//'))
    settings.complain(`STORAGE_URL: a prefix of A–Z, a–z, 0–9, “.”, “_”, “-” and single “/” only`)
  return {
    kind: 's3',
    endpoint: endpoint.replace(/\/+$/, ''),
    bucket: given.host,
    isByHost: style === 'host',
    prefix: prefix === '' ? '' : `${prefix}/`,
    region,
    accessKeyId: settings.text('AWS_ACCESS_KEY_ID') ?? '',
    secretAccessKey: settings.text('AWS_SECRET_ACCESS_KEY') ?? '',
    sessionToken: settings.text('AWS_SESSION_TOKEN'),
  }
}
