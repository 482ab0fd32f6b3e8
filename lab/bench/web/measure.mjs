/**
 * Runs Lighthouse on one page after another, in the browser that listens on a port.
 *
 * - Each run prints one line of JSON.
 * - The file is plain JavaScript, because Lighthouse and its types are installed only for this run.
 */
import lighthouse from 'lighthouse'

const { port, pages, runs } = JSON.parse(process.argv[2] ?? '{}')
const METRICS = ['first-contentful-paint', 'largest-contentful-paint', 'cumulative-layout-shift', 'total-blocking-time', 'speed-index']
const JUDGED = ['performance', 'accessibility', 'best-practices', 'seo']

for (let run = 1; run <= runs; run++) {
  for (const { name, url } of pages) {
    // Categories other than performance do not vary: only the first run judges them.
    const onlyCategories = run === 1 ? JUDGED : ['performance']
    const once = async () => (await lighthouse(url, { port, onlyCategories, disableFullPageScreenshot: true, logLevel: 'silent' })).lhr
    const first = await once()
    // About 1 run in 50 fails with NO_NAVSTART (the trace lacks its start): run it again.
    const lhr = first.runtimeError?.code === 'NO_NAVSTART' ? await once() : first
    process.stdout.write(`${JSON.stringify({ name, run, ...lookOf(lhr) })}\n`)
  }
}

function lookOf({ audits, categories, runtimeError, finalDisplayedUrl, lighthouseVersion, environment }) {
  if (runtimeError !== undefined) throw new Error(`${finalDisplayedUrl}: ${runtimeError.message}`)
  return {
    finalUrl: finalDisplayedUrl,
    lighthouse: lighthouseVersion,
    browser: environment.hostUserAgent,
    scores: Object.fromEntries(Object.entries(categories).map(([id, { score }]) => [id, Math.round((score ?? 0) * 100)])),
    metrics: Object.fromEntries(METRICS.map((id) => [id, audits[id]?.numericValue])),
    bytes: bytesOf(audits['network-requests']?.details?.items ?? []),
    findings: findingsOf(audits, categories),
  }
}

/** Transferred bytes by resource kind. */
function bytesOf(requests) {
  const sums = {}
  for (const { resourceType = 'Other', transferSize = 0 } of requests) sums[resourceType] = (sums[resourceType] ?? 0) + transferSize
  return sums
}

/** Lighthouse's findings without the metrics, which are in the table. */
function findingsOf(audits, categories) {
  const isMetric = new Set(categories.performance.auditRefs.filter(({ group }) => group === 'metrics').map(({ id }) => id))
  const asked = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.map(({ id }) => id))
  return [...new Set(asked)]
    .filter((id) => !isMetric.has(id))
    .map((id) => audits[id])
    .filter(({ score, scoreDisplayMode }) => score !== null && score < 1 && scoreDisplayMode !== 'manual')
    .map(({ id, title, displayValue, details }) => ({ id, title, displayValue, items: (details?.items ?? []).slice(0, 5).map(itemOf) }))
}

function itemOf(item) {
  const shorter = (key, value) => (key === 'node' ? (value?.snippet ?? value) : value)
  return JSON.stringify(item, shorter).slice(0, 400)
}
