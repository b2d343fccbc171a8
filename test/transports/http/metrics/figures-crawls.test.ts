import { Registry } from '@prometheus-io/client'
import { expect, it } from 'vitest'
import { emptyReport } from '../../../../crawler/report/crawl-report.ts'
import { CrawlTotals } from '../../../../service/crawls/index.ts'
import { addCrawlMetrics } from '../../../../transports/http/metrics/figures.ts'

it('shows the current figures of crawls each time it is read', async () => {
  const registry = new Registry()
  const totals = new CrawlTotals()
  addCrawlMetrics(registry, totals)
  const lines = async () => (await registry.metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
  expect(await lines()).toContain('asof_crawl_pages_total{outcome="stored"} 0')
  const report = { ...emptyReport('docs', 0), stored: 2, bytes: 10, failed: { ASOF_FETCH_STATUS: 1 } }
  await totals.follow(async () => report)
  await totals.follow(async () => report)
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'asof_crawls_running 0',
      'asof_crawl_hosts{state="active"} 0',
      'asof_crawl_pages_total{outcome="stored"} 4',
      'asof_crawl_failures_total{code="ASOF_FETCH_STATUS"} 2',
      'asof_crawl_bytes_total 20',
    ]),
  )
})
