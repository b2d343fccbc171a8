import { expect, it } from 'vitest'
import { emptyReport } from '../../../crawler/report/crawl-report.ts'
import { CrawlTotals } from '../../../service/crawls/crawl-totals.ts'

it('adds up running, finished and failed crawls', async () => {
  const totals = new CrawlTotals()
  const report = { ...emptyReport('docs', 0), stored: 2, bytes: 10, pending: 5, failed: { ASOF_FETCH_STATUS: 1 } }
  const page = {
    kind: 'page',
    url: 'https://a.org/',
    outcome: 'captured',
    hosts: 3,
    hostsWaiting: 2,
    hostsResting: 1,
    queues: [],
  } as const
  await totals.follow(async onProgress => {
    onProgress({ kind: 'started', resumed: false, report: emptyReport('docs', 0) })
    expect(totals.figures).toMatchObject({ running: 1, pending: 0, pages: { stored: 0 } })
    onProgress({ ...page, report })
    expect(totals.figures).toMatchObject({
      running: 1,
      pending: 5,
      bytes: 10,
      hosts: { active: 3, waiting: 2, resting: 1 },
      pages: { stored: 2, failed: 1 },
      failures: { ASOF_FETCH_STATUS: 1 },
    })
    return { ...report, stored: 4 }
  })
  const failing = totals.follow(async onProgress => {
    onProgress({ ...page, report })
    throw new Error('a full disk')
  })
  await expect(failing).rejects.toThrow('a full disk')
  expect(totals.figures).toMatchObject({
    running: 0,
    pending: 0,
    bytes: 20,
    hosts: { active: 0, waiting: 0, resting: 0 },
    pages: { stored: 6, failed: 2 },
    failures: { ASOF_FETCH_STATUS: 2 },
  })
})
