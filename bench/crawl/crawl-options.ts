import { parseArgs } from 'node:util'
import type { CrawlTask } from './crawl-child.ts'

/** Options of the suite `crawl`, see {@link crawlHelp}. */
export interface CrawlBenchOptions {
  hosts: number
  pages: number
  pageBytes: number
  textPercent: number
  delayMs: number
  concurrency: number
  seed: number
  crawlers: CrawlTask['crawler'][]
  dir?: string
  profile?: string
  jsonPath?: string
}

export const crawlHelp = `npm run bench -- crawl [options]

Crawls a synthetic web on loopback, with many hosts, delays, errors and traps: with asof, which also extracts and indexes, and
with Crawlee's CheerioCrawler, which only fetches and parses. Reports speed, coverage and what the web servers observed.

  --hosts N         number of hosts, each on a port of its own (200)
  --pages N         number of pages (100000)
  --page-bytes N    approximate size of a page (20000)
  --text-percent N  share of text in a page; the rest is markup, scripts and styles (100). The median of real pages of
                    10 to 40 KB is 15
  --delay-ms N      asof's delay between two requests to a host (50)
  --concurrency N   maximum number of concurrent requests (32)
  --only NAME       run only asof or only crawlee
  --seed N          seed of the web (1)
  --dir DIR         folder for temporary indexes (the system's)
  --profile DIR     folder to write CPU profiles of asof to
  --json FILE       write all figures`

function number(name: string, value: string, least: number): number {
  const read = Number(value)
  if (!Number.isInteger(read) || read < least)
    throw new RangeError(`--${name} must be a whole number of at least ${least}, not "${value}"`)
  return read
}

/** Parses the options; returns undefined for `--help`. */
export function readCrawlOptions(args: string[]): CrawlBenchOptions | undefined {
  const { values } = parseArgs({
    args,
    options: {
      hosts: { type: 'string', default: '200' },
      pages: { type: 'string', default: '100000' },
      'page-bytes': { type: 'string', default: '20000' },
      'text-percent': { type: 'string', default: '100' },
      'delay-ms': { type: 'string', default: '50' },
      concurrency: { type: 'string', default: '32' },
      only: { type: 'string' },
      seed: { type: 'string', default: '1' },
      dir: { type: 'string' },
      profile: { type: 'string' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  const { only } = values
  if (only !== undefined && only !== 'asof' && only !== 'crawlee')
    throw new RangeError(`--only must be asof or crawlee, not "${only}"`)
  const hosts = number('hosts', values.hosts, 1)
  return {
    hosts,
    pages: number('pages', values.pages, hosts),
    pageBytes: number('page-bytes', values['page-bytes'], 1),
    textPercent: Math.min(100, number('text-percent', values['text-percent'], 1)),
    delayMs: number('delay-ms', values['delay-ms'], 0),
    concurrency: number('concurrency', values.concurrency, 1),
    seed: number('seed', values.seed, 0),
    crawlers: only === undefined ? ['asof', 'crawlee'] : [only],
    dir: values.dir,
    profile: values.profile,
    jsonPath: values.json,
  }
}
