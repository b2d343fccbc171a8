import { Counter, Gauge, type Registry } from '@prometheus-io/client'
import type { Crawls } from '../../../service/crawls/index.ts'

/** One value of a metric. */
export interface Figure {
  labels: Record<string, string>
  value: number
}

/**
 * Adds a metric. Its values come from a function that is called whenever the metrics are read.
 *
 * @param labelNames - the names of the metric's labels.
 */
export function addFigures(
  registry: Registry,
  Kind: typeof Counter | typeof Gauge,
  [name, help, ...labelNames]: readonly [name: string, help: string, ...labelNames: string[]],
  read: () => readonly Figure[],
): void {
  new Kind({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset()
      // A metric without labels would else be 0 if there is no value.
      if (labelNames.length === 0) this.remove()
      for (const { labels, value } of read()) this.inc(labels, value)
    },
  })
}

/** Returns the figures of a metric with one label. */
export function byLabel(label: string, values: Readonly<Record<string, number>>): Figure[] {
  return Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))
}

/** Returns the figure of a metric without labels. */
export function single(value: number): Figure[] {
  return [{ labels: {}, value }]
}

/** Adds the metrics of the crawls of this process. */
export function addCrawlMetrics(registry: Registry, crawls: Pick<Crawls, 'figures'>): void {
  const gauge = addFigures.bind(undefined, registry, Gauge)
  const counter = addFigures.bind(undefined, registry, Counter)
  gauge(['asof_crawls_running', 'Running crawls of this process.'], () => single(crawls.figures.running))
  gauge(['asof_crawl_pending', 'URLs that running crawls have yet to visit.'], () => single(crawls.figures.pending))
  const hosts = 'Hosts of running crawls by state: active, waiting for a slot, resting.'
  gauge(['asof_crawl_hosts', hosts, 'state'], () => byLabel('state', crawls.figures.hosts))
  const pages = 'Page visits of crawls, by outcome.'
  counter(['asof_crawl_pages_total', pages, 'outcome'], () => byLabel('outcome', crawls.figures.pages))
  const failures = 'Pages that crawls failed to fetch, by error code.'
  counter(['asof_crawl_failures_total', failures, 'code'], () => byLabel('code', crawls.figures.failures))
  const empty = 'Pages without any text that crawls read.'
  counter(['asof_crawl_pages_without_text_total', empty], () => single(crawls.figures.withoutText))
  const replaced = 'Characters of pages that crawls could not decode.'
  counter(['asof_crawl_replaced_characters_total', replaced], () => single(crawls.figures.replacedCharacters))
  const bytes = 'Bytes of page bodies that crawls fetched, decoded.'
  counter(['asof_crawl_bytes_total', bytes], () => single(crawls.figures.bytes))
}
