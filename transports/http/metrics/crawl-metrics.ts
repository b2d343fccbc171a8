import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { CrawlFigures } from '../../../service/index.ts'

/** Adds the metrics of the crawls of this process. */
export function addCrawlMetrics(registry: Registry, crawls: () => CrawlFigures): void {
  const registers = [registry]
  new Gauge({
    name: 'asof_crawls_running',
    help: 'Running crawls of this process.',
    registers,
    collect() {
      this.set(crawls().running)
    },
  })
  new Gauge({
    name: 'asof_crawl_pending',
    help: 'URLs that running crawls have yet to visit.',
    registers,
    collect() {
      this.set(crawls().pending)
    },
  })
  new Gauge({
    name: 'asof_crawl_hosts',
    help: 'Hosts of running crawls by state: active, waiting for a slot, resting.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, hosts] of Object.entries(crawls().hosts)) this.set({ state }, hosts)
    },
  })
  new Counter({
    name: 'asof_crawl_pages_total',
    help: 'Page visits of crawls, by outcome.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, pages] of Object.entries(crawls().pages)) this.inc({ outcome }, pages)
    },
  })
  new Counter({
    name: 'asof_crawl_failures_total',
    help: 'Pages that crawls failed to fetch, by error code.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset()
      for (const [code, pages] of Object.entries(crawls().failures)) this.inc({ code }, pages)
    },
  })
  new Counter({
    name: 'asof_crawl_bytes_total',
    help: 'Bytes of page bodies that crawls fetched, decoded.',
    registers,
    collect() {
      this.reset()
      this.inc(crawls().bytes)
    },
  })
}
