import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CaptureInput } from '../../core/index.ts'
import { page, type Route, SiteServer } from '../crawler/site-server.ts'
import { addCustomer, type Customer } from '../service/accounts/accounts.ts'
import { JobClient } from '../transports/http/routes/crawl-jobs.ts'
import { type RunningServer, startServer } from '../transports/http/running-server.ts'
import { installed, openForTests } from './by-clients.ts'
import { type Clients, type Outcome, returnedBy } from './clients.ts'
import { instants } from './corpus.ts'
import { type Carrier, pairs, played, type World } from './world.ts'

/** A crawl as the clients of both languages return it. */
interface Crawl {
  id: string
  status: string
  completed: number
  total: number
  next?: string | null
  warning?: string | null
  data: { markdown?: string; metadata: Record<string, unknown> }[]
}
interface Read {
  url: string
  text: string
}

const march = '2025-03-01'
const counts = [0, 1, 10, 11, 150] as const
const urlOf = (count: number, i: number) => `https://site${count}.example/docs/page-${i}`

/** A site of each size, whose pages have a version of January and one of June. */
const captures: CaptureInput[] = counts.flatMap(count =>
  Array.from({ length: count }, (_, i) =>
    ['2025-01-10', '2025-06-10'].map(at => ({
      url: urlOf(count, i),
      title: `Page ${i}`,
      text: `Page ${i} of ${count} as of ${at}.`,
      acquiredAt: at,
    })),
  ).flat(),
)

const byUrl = (a: Read, b: Read) => (a.url < b.url ? -1 : 1)

describe.skipIf(!installed)('crawls by stock clients', () => {
  let world: World
  let clients: Clients
  let server: RunningServer
  let customer: Customer
  let site: SiteServer
  openForTests((...opened) => {
    ;[world, clients] = opened
  })
  beforeAll(async () => {
    server = await startServer({
      accounts: true,
      allowPrivate: true,
      captures,
      jobs: { pagesPerDay: 1_000_000, running: 20 },
    })
    customer = await addCustomer(server.access, { credits: 1_000_000, rate_limit: 100_000 })
    site = await SiteServer.start({
      '/': page('Home', ['/a', '/b', '/gone']),
      '/a': page('A', ['/a/deep']),
      '/a/deep': page('Deep'),
      '/b': page('B'),
    })
  })
  afterAll(async () => {
    await server.close()
    await site.close()
  })

  /** The pages of a site of a size as they were in March. */
  const ofMarch = (count: number): Read[] =>
    Array.from({ length: count }, (_, i) => ({
      url: urlOf(count, i),
      text: `Page ${i} of ${count} as of 2025-01-10.`,
    })).sort(byUrl)
  const key = (at?: string) => (at === undefined ? customer.key : `${customer.key}@${at}`)

  describe('of Firecrawl', () => {
    const languages = [{ isPython: false }, { isPython: true }]

    async function call(
      isPython: boolean,
      [method, pythonMethod]: readonly [string, string],
      args: readonly unknown[],
      options: object,
      at?: string,
    ): Promise<Outcome> {
      return await clients.call({
        client: isPython ? 'firecrawl-py async' : 'firecrawl',
        base: `${server.url}/firecrawl`,
        key: key(at),
        method: isPython ? pythonMethod : method,
        args,
        options: options as Record<string, unknown>,
      })
    }
    const crawlOf = (outcome: Outcome) => returnedBy(outcome) as Crawl
    const readOf = ({ data }: Crawl): Read[] =>
      data.map(({ markdown = '', metadata }) => ({ url: String(metadata.url), text: markdown })).sort(byUrl)

    async function crawl(isPython: boolean, url: string, options: object, at?: string): Promise<Outcome> {
      return isPython
        ? await call(true, ['', 'crawl'], [], { url, poll_interval: 1, ...options }, at)
        : await call(false, ['crawl', ''], [url], { pollInterval: 1, ...options }, at)
    }

    it.each(pairs(languages, counts))('%o crawls %d pages as they were', async ({ isPython }, count) => {
      const done = crawlOf(await crawl(isPython, `https://site${count}.example/docs`, { limit: 150 }, march))
      expect(done).toMatchObject({ status: 'completed', completed: count, total: count })
      expect(readOf(done)).toEqual(ofMarch(count))
    })

    it.each(pairs(languages, [1, 10, 11, 150] as const))(
      '%o scrapes a batch of %d pages as they were',
      async ({ isPython }, count) => {
        const urls = Array.from({ length: count }, (_, i) => urlOf(count, i))
        const options = isPython
          ? { formats: ['markdown'], poll_interval: 1 }
          : { options: { formats: ['markdown'] }, pollInterval: 1 }
        const done = crawlOf(await call(isPython, ['batchScrape', 'batch_scrape'], [urls], options, march))
        expect(done).toMatchObject({ status: 'completed', completed: count })
        expect(readOf(done)).toEqual(ofMarch(count))
      },
    )

    it.each(languages)('%o reads a crawl page by page', async ({ isPython }) => {
      const url = 'https://site150.example/docs'
      const started = returnedBy(
        await call(isPython, ['startCrawl', 'start_crawl'], [url], { limit: 150 }, march),
      ) as Crawl
      await new JobClient(server.url, customer.key).all(started.id)
      const status = async (options: object) =>
        crawlOf(await call(isPython, ['getCrawlStatus', 'get_crawl_status'], [started.id], options, march))
      const whole = await status({})
      expect(whole.data).toHaveLength(150)
      if (isPython) return
      const first = await status({ autoPaginate: false })
      expect(first.data).toHaveLength(100)
      expect(first.next).toBe(`${server.url}/firecrawl/v2/crawl/${started.id}?cursor=100`)
      const next = await fetch(String(first.next), { headers: { Authorization: `Bearer ${key(march)}` } })
      const last = (await next.json()) as Crawl
      expect(last.data).toHaveLength(50)
      expect(last.next).toBeUndefined()
    })

    it.each(languages)('%o lists the pages that a batch could not read', async ({ isPython }) => {
      const urls = [urlOf(1, 0), 'https://gone.example/']
      const options = isPython ? { formats: ['markdown'] } : { options: { formats: ['markdown'] } }
      const started = await call(isPython, ['startBatchScrape', 'start_batch_scrape'], [urls], options, march)
      const { id } = returnedBy(started) as Crawl
      await new JobClient(server.url, customer.key).all(id)
      const outcome = await call(isPython, ['getBatchScrapeErrors', 'get_batch_scrape_errors'], [id], {}, march)
      expect(returnedBy(outcome)).toMatchObject({ errors: [{ url: urls[1], code: 'not_indexed' }] })
    })

    it.each(languages)('%o crawls a site, and cancels a crawl', async ({ isPython }) => {
      const done = crawlOf(await crawl(isPython, `${site.origin}/`, { limit: 10 }))
      expect(readOf(done).map(({ url }) => url.replace(site.origin, ''))).toEqual(['/', '/a', '/a/deep', '/b'])
      const gate = Promise.withResolvers<void>()
      const held: Route = (_request, response) => {
        void gate.promise.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page('Held')))
      }
      site.routes.set('/held', held)
      const url = `${site.origin}/held`
      const started = returnedBy(await call(isPython, ['startCrawl', 'start_crawl'], [url], { limit: 10 })) as Crawl
      const cancel = async (id: string) => returnedBy(await call(isPython, ['cancelCrawl', 'cancel_crawl'], [id], {}))
      const active = await call(isPython, ['getActiveCrawls', 'active_crawls'], [], {})
      expect(JSON.stringify(returnedBy(active))).toContain(started.id)
      expect(await cancel(started.id)).toBe(true)
      gate.resolve()
      const state = await call(isPython, ['getCrawlStatus', 'get_crawl_status'], [started.id], {})
      expect(crawlOf(state)).toMatchObject({ status: 'cancelled', data: [] })
      expect(await cancel(done.id)).toBe(false)
    })

    it.each(languages)(
      '%o keeps to paths, depth and formats, and is warned of what is left out',
      async ({ isPython }) => {
        const paths = async (options: object) =>
          readOf(crawlOf(await crawl(isPython, `${site.origin}/`, options))).map(({ url }) =>
            url.replace(site.origin, ''),
          )
        const named = (js: string, python: string) => (isPython ? python : js)
        expect(await paths({ [named('includePaths', 'include_paths')]: ['^/a.*'] })).toEqual(['/a', '/a/deep'])
        expect(await paths({ [named('excludePaths', 'exclude_paths')]: ['deep$', '/b'] })).toEqual(['/', '/a'])
        expect(await paths({ [named('maxDiscoveryDepth', 'max_discovery_depth')]: 1 })).toEqual(['/', '/a', '/b'])
        const options = { [named('scrapeOptions', 'scrape_options')]: { formats: ['links', 'html'] } }
        const done = crawlOf(await crawl(isPython, `${site.origin}/`, options))
        expect(done.data[0]).toMatchObject({ links: [`${site.origin}/a`, `${site.origin}/b`, `${site.origin}/gone`] })
        if (isPython) expect(done.warning).toContain('html')
      },
    )

    const refused: readonly [object, object, string][] = [
      [{ includePaths: ['(a|b)'] }, { include_paths: ['(a|b)'] }, 'includePaths'],
      [{ limit: 1_001 }, { limit: 1_001 }, 'limit'],
      [{ prompt: 'only prices' }, { prompt: 'only prices' }, 'prompt'],
      [{ webhook: 'https://a.example/' }, { webhook: 'https://a.example/' }, 'webhook'],
      [{ ignoreQueryParameters: true }, { ignore_query_parameters: true }, 'ignoreQueryParameters'],
    ]
    it.each(pairs(languages, refused))(
      '%o with %j: an error of the client names the field',
      async ({ isPython }, [options, pythonOptions, field]) => {
        const url = 'https://site1.example/docs'
        const asked = isPython ? pythonOptions : options
        const { error } = await call(isPython, ['startCrawl', 'start_crawl'], [url], asked, march)
        expect(error?.name).toBe(isPython ? 'BadRequestError' : 'SdkError')
        expect(error?.message).toContain(field)
      },
    )

    it.each(languages)('%o cannot read the crawl of another organization', async ({ isPython }) => {
      const { id } = await new JobClient(server.url, customer.key).run({ urls: [urlOf(1, 0)], query_time: march })
      const other = await addCustomer(server.access, {})
      const outcome = await clients.call({
        client: isPython ? 'firecrawl-py async' : 'firecrawl',
        base: `${server.url}/firecrawl`,
        key: other.key,
        method: isPython ? 'get_crawl_status' : 'getCrawlStatus',
        args: [id],
      })
      expect(outcome.error?.message).toMatch(/no such crawl|404/i)
    })
  })

  describe('of Tavily', () => {
    const tavilyClients = ['@tavily/core', 'tavily-python', 'tavily-python async'] as const

    interface TavilyCrawl {
      results: { url: string; rawContent?: string; raw_content?: string }[]
      usage?: object
    }
    const crawl = async (client: string, url: string, options: object, at?: string): Promise<Outcome> =>
      await clients.call({
        client,
        base: `${server.url}/tavily`,
        key: key(at),
        method: 'crawl',
        args: [url],
        options: options as Record<string, unknown>,
      })
    const readOf = (outcome: Outcome): Read[] =>
      (returnedBy(outcome) as TavilyCrawl).results
        .map(({ url, rawContent, raw_content }) => ({ url, text: rawContent ?? raw_content ?? '' }))
        .sort(byUrl)

    it.each(pairs(tavilyClients, counts))('%s crawls %d pages as they were', async (client, count) => {
      const outcome = await crawl(client, `https://site${count}.example/docs`, { limit: 150 }, march)
      expect(readOf(outcome)).toEqual(ofMarch(count))
    })

    it.each(tavilyClients)('%s crawls a site, as deep and at the paths that it was told', async client => {
      const named = (js: string, python: string) => (client.startsWith('@') ? js : python)
      const paths = async (options: object) =>
        readOf(await crawl(client, `${site.origin}/`, options)).map(({ url }) => url.replace(site.origin, ''))
      expect(await paths({})).toEqual(['/', '/a', '/b'])
      expect(await paths({ [named('maxDepth', 'max_depth')]: 2 })).toEqual(['/', '/a', '/a/deep', '/b'])
      expect(await paths({ [named('excludePaths', 'exclude_paths')]: ['^/b$'] })).toEqual(['/', '/a'])
      const refused = await crawl(client, site.origin, { [named('maxBreadth', 'max_breadth')]: 3 })
      expect(refused.error?.message).toContain('max_breadth')
      const usage = { [named('includeUsage', 'include_usage')]: true, limit: 2 }
      expect(returnedBy(await crawl(client, `${site.origin}/`, usage))).toMatchObject({ usage: { credits: 2 } })
    })
  })

  describe('as of an instant', () => {
    const carriers: readonly Carrier[] = ['path', 'key', 'sealed key']
    const names = ['firecrawl', 'firecrawl-py async', '@tavily/core', 'tavily-python']
    const cases = pairs(names, pairs(carriers, instants)).map(([client, [carrier, at]], i) => ({
      client,
      carrier,
      at,
      url: `https://site${i % 40}.example/`,
    }))
    it.each(played(cases))(
      '$client by $carrier at $at reads of $url what the native route and a server without the future have',
      async ({ client, carrier, at, url }) => {
        const isTavily = client.includes('tavily')
        const carried = await world.carried(isTavily ? 'tavily' : 'firecrawl', carrier, at)
        const isPython = client.includes('py')
        const outcome = await clients.call({
          client,
          base: carried.base,
          key: carried.key,
          method: 'crawl',
          args: isPython && !isTavily ? [] : [url],
          options: isTavily ? {} : isPython ? { url, poll_interval: 1 } : { pollInterval: 1 },
        })
        const value = returnedBy(outcome) as {
          results?: { url: string; rawContent?: string; raw_content?: string }[]
          data?: Crawl['data']
        }
        const found = isTavily
          ? value.results?.map(result => ({ url: result.url, text: result.rawContent ?? result.raw_content }))
          : value.data?.map(({ markdown, metadata }) => ({ url: metadata.url, text: markdown }))
        const native = await new JobClient(world.server.url, world.customer.key).run({ url, query_time: at })
        const read = ({ pages }: typeof native) => pages.map(each => ({ url: each.url, text: each.content }))
        expect(found).toEqual(read(native))
        const twin = await world.twin(at)
        const without = await addCustomer(twin.access, { credits: 1_000 })
        // The twin has nothing later, so that any later instant shows all that it has.
        const whole = { url, query_time: '2025-11-01' }
        expect(found).toEqual(read(await new JobClient(twin.url, without.key).run(whole)))
      },
    )
  })
})
