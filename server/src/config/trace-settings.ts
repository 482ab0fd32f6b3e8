/** Where traces go and which share is recorded, by the standard names of OpenTelemetry. Undefined: no traces. */
import type { Settings } from './settings.ts'

export type TraceSettings = {
  /** The full address of the collector's call. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  readonly resource: Readonly<Record<string, string>>
  /** Whether a trace that its caller does not record is not recorded here either. */
  readonly isParentBased: boolean
  readonly share: number
}

export function traceSettings(settings: Settings, mayBePlain: (host: string) => boolean): TraceSettings | undefined {
  const endpoint = settings.url('OTEL_EXPORTER_OTLP_ENDPOINT')
  if (endpoint === undefined) return undefined
  if (!endpoint.startsWith('https:') && !mayBePlain(new URL(endpoint).hostname))
    settings.complain('OTEL_EXPORTER_OTLP_ENDPOINT: production needs https:// to a collector on another host, or ALLOW_INSECURE=traces')
  settings.choice('OTEL_EXPORTER_OTLP_PROTOCOL')
  const sampler = settings.choice('OTEL_TRACES_SAMPLER')
  const kind = sampler.replace('parentbased_', '')
  return {
    url: `${endpoint}/v1/traces`,
    headers: pairs(settings, 'OTEL_EXPORTER_OTLP_HEADERS'),
    serviceName: settings.textOr('OTEL_SERVICE_NAME'),
    resource: pairs(settings, 'OTEL_RESOURCE_ATTRIBUTES'),
    isParentBased: sampler.startsWith('parentbased_'),
    share: kind === 'always_on' ? 1 : kind === 'always_off' ? 0 : shareOf(settings),
  }
}

function shareOf(settings: Settings): number {
  const text = settings.textOr('OTEL_TRACES_SAMPLER_ARG')
  const share = Number(text)
  if (share >= 0 && share <= 1) return share
  settings.complain(`OTEL_TRACES_SAMPLER_ARG: a share from 0 to 1, not “${text}”`)
  return 0
}

/** `name=value,name=value`, where a value may be percent-encoded. No complaint shows a value: it may be a key. */
function pairs(settings: Settings, name: 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_RESOURCE_ATTRIBUTES'): Record<string, string> {
  const found: Record<string, string> = {}
  for (const pair of (settings.text(name) ?? '').split(',').filter((one) => one.trim() !== '')) {
    const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? []
    try {
      if (key === '') throw new Error('no name')
      found[key] = decodeURIComponent(value.trim())
    } catch {
      settings.complain(`${name}: name=value, separated by commas, with percent-encoded values`)
    }
  }
  return found
}
