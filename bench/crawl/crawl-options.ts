import { parseArgs } from 'node:util'
import type { CrawlTask } from './crawl-child.ts'

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

Crawls a synthetic web on loopback, of many hosts with delays, errors and traps, with asof (extraction and indexing
included) and with Crawlee's CheerioCrawler (fetching and parsing alone), and shows what the origin saw of each.

  --hosts N         hosts, each a port (200)
  --pages N         pages (100000)
  --page-bytes N    of a page, about (20000)
  --text-percent N  how much of a page is text, the rest markup, scripts and styles (100; of the pages of 10 to 40 KB
                    in the collections that extraction is tested on, the median is 15)
  --delay-ms N      asof's pause between two requests to a host (50)
  --concurrency N   requests under way at a time (32)
  --only NAME       asof or crawlee alone
  --seed N          seed of the web (1)
  --dir DIR         where indexes go meanwhile (the temporary folder)
  --profile DIR     writes CPU profiles of asof there
  --json FILE       writes every figure`

function number(name: string, value: string, least: number): number {
  const read = Number(value)
  if (!Number.isInteger(read) || read < least)
    throw new RangeError(`--${name} takes a whole number of at least ${least}`)
  return read
}

/** Reads the options of the suite; `undefined` when help was asked for. */
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
  if (only !== undefined && only !== 'asof' && only !== 'crawlee') throw new RangeError('--only takes asof or crawlee')
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
    ...(values.dir === undefined ? {} : { dir: values.dir }),
    ...(values.profile === undefined ? {} : { profile: values.profile }),
    ...(values.json === undefined ? {} : { jsonPath: values.json }),
  }
}
