import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { CrawlFigures } from '../../service/index.ts'

/** Adds what the crawls of this process do. */
export function addCrawlMetrics(registry: Registry, crawls: () => CrawlFigures): void {
  const registers = [registry]
  new Gauge({
    name: 'asof_crawls_running',
    help: 'Crawls under way in this process.',
    registers,
    collect() {
      this.set(crawls().running)
    },
  })
  new Gauge({
    name: 'asof_crawl_pending',
    help: 'URLs that crawls under way still have to visit.',
    registers,
    collect() {
      this.set(crawls().pending)
    },
  })
  new Gauge({
    name: 'asof_crawl_hosts',
    help: 'Hosts of crawls under way: active, waiting for a place, resting.',
    labelNames: ['state'],
    registers,
    collect() {
      for (const [state, hosts] of Object.entries(crawls().hosts)) this.set({ state }, hosts)
    },
  })
  new Counter({
    name: 'asof_crawl_pages_total',
    help: 'Visits of crawls, by how they ended.',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, pages] of Object.entries(crawls().pages)) this.inc({ outcome }, pages)
    },
  })
  new Counter({
    name: 'asof_crawl_failures_total',
    help: 'Pages that crawls gave up, by error code.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset()
      for (const [code, pages] of Object.entries(crawls().failures)) this.inc({ code }, pages)
    },
  })
  new Counter({
    name: 'asof_crawl_bytes_total',
    help: 'Bytes of page bodies, decoded.',
    registers,
    collect() {
      this.reset()
      this.inc(crawls().bytes)
    },
  })
}
