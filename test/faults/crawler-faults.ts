import type { Fault } from './fault.ts'

/** Faults in the crawler. */
export const crawlerFaults: readonly Fault[] = [
  {
    name: 'the shortest rule of a robots.txt decides',
    file: 'crawler/politeness/robots.ts',
    find: 'b.pattern.length - a.pattern.length',
    replace: 'a.pattern.length - b.pattern.length',
    tests: ['test/crawler/politeness/robots'],
    suite: 'unit',
  },
  {
    name: 'the crawl delay of a host is ignored',
    file: 'crawler/politeness/politeness.ts',
    find: 'Math.max(delayMs, crawlDelayMs, Math.min(',
    replace: 'Math.max(delayMs, Math.min(crawlDelayMs, 0), Math.min(',
    tests: ['test/crawler/politeness'],
    suite: 'unit',
  },
  {
    name: 'a relative redirect is not resolved',
    file: 'crawler/fetch/fetcher.ts',
    find: 'URL.parse(location, base.href)',
    replace: 'URL.parse(location)',
    tests: ['test/crawler/fetch'],
    suite: 'unit',
  },
  {
    name: 'the sitemaps in a sitemap index are not read',
    file: 'crawler/discovery/sitemap-discovery.ts',
    find: 'const MAX_INDEX_DEPTH = 2',
    replace: 'const MAX_INDEX_DEPTH = 0',
    tests: ['test/crawler/discovery', 'test/crawler/crawl/crawl.test'],
    suite: 'unit',
  },
  {
    name: 'the frontier hands out a URL that is in flight',
    file: 'crawler/frontier/host-queues.ts',
    find: '.filter(([key]) => !inFlight?.has(key))',
    replace: '',
    tests: ['test/crawler/frontier'],
    suite: 'unit',
  },
  {
    name: 'a page with another text becomes the page whose address it claims',
    file: 'crawler/visit/same-text.ts',
    find: 'changeShare(a, b) <= MAX_CHANGE',
    replace: 'changeShare(a, b) <= 1',
    tests: ['test/crawler/visit', 'test/crawler/crawl'],
    suite: 'unit',
  },
]
