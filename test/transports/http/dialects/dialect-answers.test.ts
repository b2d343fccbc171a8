import { describe, expect, it } from 'vitest'
import type { CaptureInput } from '../../../../core/index.ts'
import { post, startTarget } from '../running-server.ts'
import { captures, MARCH, useDialectServers } from './dialect-servers.ts'

describe('answers of dialects', () => {
  const { start, opened } = useDialectServers()

  it('find pages that are similar to a page by its title, and refuse one without a title', async () => {
    const untitled: CaptureInput = { url: 'https://rail.example/untitled', title: '—', text: 'The train has no title.' }
    const { call } = await start({}, { captures: [...captures, untitled] })
    const similar = await call('/exa/findSimilar', { url: 'https://rail.example/night', excludeSourceDomain: true })
    expect(similar.body.results).toMatchObject([{ url: 'https://shop.example/lamp' }])
    // One result more than the answer has is searched, and all of their texts must fit into one answer of asof.
    const whole = await call('/exa/findSimilar', {
      url: 'https://rail.example/night',
      numResults: 20,
      contents: { text: true },
    })
    expect([whole.status, whole.body.results?.length]).toEqual([200, 3])
    const refused = await call('/exa/findSimilar', { url: untitled.url })
    expect([refused.status, refused.body.error]).toEqual([422, 'url: the page has no title to search for'])
  })

  it('list the pages of a site as of an instant, without those that have a query string by default', async () => {
    const more = { url: 'https://rail.example/seats?class=1', text: 'Seats.', acquiredAt: '2025-02-10' }
    const { call, charged } = await start({}, { captures: [...captures, more] })
    const site = { url: 'rail.example', query_time: MARCH }
    expect((await call('/firecrawl/v2/map', site)).body).toEqual({
      success: true,
      links: [
        { url: 'https://rail.example/night', title: 'Night train' },
        { url: 'https://rail.example/ticket', title: 'Train ticket' },
      ],
    })
    const withParameters = { ...site, ignoreQueryParameters: false, sitemap: 'skip', limit: 1 }
    expect((await call('/firecrawl/v2/map', withParameters)).body).toMatchObject({ links: [{ url: more.url }] })
    expect((await call('/firecrawl/v1/map', { ...site, search: 'night', ignoreSitemap: true })).body).toEqual({
      success: true,
      links: ['https://rail.example/night'],
    })
    expect(
      (await call('/tavily/map', { ...site, url: 'rail.example/ticket', include_usage: true })).body,
    ).toMatchObject({
      base_url: 'rail.example/ticket',
      results: ['https://rail.example/ticket'],
      usage: { credits: 1 },
    })
    expect(await charged()).toBe(4)
    for (const [path, body, field] of [
      ['/firecrawl/v2/map', { ...site, sitemap: 'only' }, 'sitemap'],
      ['/firecrawl/v1/map', { ...site, sitemapOnly: true }, 'sitemapOnly'],
      ['/firecrawl/v2/map', { ...site, asOf: MARCH }, 'asOf'],
      ['/tavily/map', { ...site, select_paths: ['('] }, 'select_paths[0]'],
      ['/tavily/map', { ...site, url: 'http://' }, 'url'],
    ] as const) {
      const { status, body: refusal } = await call(path, body)
      expect([status, JSON.stringify(refusal)]).toEqual([400, expect.stringContaining(field)])
    }
    expect(await charged()).toBe(4)
  })

  it('read values of pages by a schema, and charge what they are read from', async () => {
    const { call, charged } = await start()
    const schema = { type: 'object', properties: { author: { type: 'string' }, price: { type: 'number' } } }
    const formats = [{ type: 'json', schema }]
    const ticket = { url: 'https://rail.example/ticket', query_time: MARCH }
    const page = {
      url: 'https://shop.example/desk',
      title: 'Desk',
      text: 'A desk by Ann.\n\nPrice: 80',
      author: 'Ann',
      acquiredAt: '2025-02-01',
    }
    const { call: ask, charged: paid } = await start({}, { captures: [...captures, page] })
    expect((await ask('/firecrawl/v2/scrape', { url: page.url, query_time: MARCH, formats })).body).toMatchObject({
      success: true,
      data: { json: { author: 'Ann', price: 80 }, metadata: { title: 'Desk', cacheState: 'hit' } },
    })
    expect(await paid()).toBe(1)
    const both = await ask('/firecrawl/v2/scrape', { url: page.url, formats: ['markdown', ...formats] })
    expect(both.body).toMatchObject({ data: { json: { price: 80 }, markdown: expect.stringContaining('A desk') } })
    expect(await paid()).toBe(3)
    const search = await ask('/firecrawl/v2/search', { query: 'desk', scrapeOptions: { formats } })
    expect(search.body).toMatchObject({ data: { web: [{ json: { price: 80 } }] } })
    expect(await paid()).toBe(5)
    const missing = { url: 'https://none.example/', formats }
    expect((await call('/firecrawl/v2/scrape', missing)).status).toBe(404)
    const unread = await call('/firecrawl/v2/scrape', { ...ticket, formats: [{ type: 'json', schema: {} }] })
    expect(unread).toMatchObject({ status: 400, body: { error: expect.stringContaining('formats json.schema') } })
    expect(await charged()).toBe(0)
  })

  it('answer more results than one answer of asof has, in the same order', async () => {
    const many = Array.from(
      { length: 120 },
      (_, i): CaptureInput => ({ url: `https://site${i}.example/`, text: `ships ${'and boats '.repeat(i % 9)}` }),
    )
    const { server, call, charged } = await start({ allowance: 100 }, { captures: many })
    const { body } = await call('/exa/search', { query: 'ships', numResults: 100 })
    const native = await post(`${server.url}/v1/search/public`, { query: 'ships', max_results: 50 })
    const urls = body.results?.map(({ url }) => url) ?? []
    expect(urls.slice(0, 50)).toEqual(native.body.results?.map(({ url }) => url))
    expect(new Set(urls).size).toBe(100)
    expect(await charged()).toBe(2)
    const scores = (body.results as unknown as { score: number }[]).map(({ score }) => score)
    expect(scores.every((score, i) => score > 0 && score <= (scores[i - 1] ?? 1))).toBe(true)
  })

  it('fetch pages of now from their sites, if contents must be fresh', async () => {
    let requests = 0
    const target = await startTarget((_, response) => {
      requests += 1
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>Live words.')
    })
    opened.push(target)
    const url = `${target.url}/page`
    const stored = { url, text: 'stored words', acquiredAt: Date.now() - 3_600_000 }
    const { call } = await start({}, { captures: [stored], allowPrivate: true })
    const textOf = async (fields: object) => {
      const { body } = await call('/exa/contents', { urls: [url], text: true, ...fields })
      return [
        (body as { statuses: { source: string }[] }).statuses[0]?.source,
        (body.results?.[0] as { text?: string } | undefined)?.text,
        requests,
      ]
    }
    expect(await textOf({})).toEqual(['cached', 'stored words', 0])
    expect(await textOf({ maxAgeHours: 2 })).toEqual(['cached', 'stored words', 0])
    expect(await textOf({ maxAgeHours: 0.5 })).toEqual([
      'crawled',
      expect.stringContaining('Live words'),
      expect.any(Number),
    ])
    expect(await textOf({ livecrawl: 'always' })).toEqual([
      'crawled',
      expect.stringContaining('Live words'),
      expect.any(Number),
    ])
    await target.close()
    opened.splice(opened.indexOf(target), 1)
    expect((await textOf({ livecrawl: 'preferred' })).slice(0, 2)).toEqual(['cached', 'stored words'])
  })

  it('read a page that the index lacks, or saw too long ago, from its site', async () => {
    const target = await startTarget((_, response) => {
      response.setHeader('Content-Type', 'text/html').end('<title>Live</title><p>Live words.')
    })
    opened.push(target)
    const url = `${target.url}/page`
    const stored = { url, text: 'stored words', acquiredAt: Date.now() - 3_600_000 }
    const { server, customer, call, charged } = await start({}, { captures: [stored], allowPrivate: true })
    const read = async (page: string, headers: Record<string, string> = {}, at = '') => {
      const response = await fetch(`${server.url}${at}/r/${page}`, {
        headers: { 'X-API-Key': customer.key, ...headers },
      })
      return [response.status, await response.text()]
    }
    const live = [200, expect.stringContaining('Live words')]
    expect(await read(url)).toEqual([200, expect.stringContaining('stored words')])
    expect(await read(url, { 'X-Cache-Tolerance': '7200' })).toEqual([200, expect.stringContaining('stored words')])
    expect(await read(url, { 'X-Cache-Tolerance': '60' })).toEqual(live)
    expect(await read(url, { 'X-No-Cache': 'true' })).toEqual(live)
    expect(await read(`${target.url}/other`)).toEqual(live)
    expect(await read(`${target.url}/other`, {}, '/at/1h')).toEqual([404, expect.any(String)])
    const paid = await charged()
    const extract = async (fields: object) => {
      const { body } = await call('/parallel/v1/extract', { urls: [url], ...fields })
      return (body.results as { excerpts: string[] }[] | undefined)?.[0]?.excerpts.join()
    }
    const within = (max_age_seconds: number) => ({ advanced_settings: { fetch_policy: { max_age_seconds } } })
    expect(await extract({})).toBe('stored words')
    expect(await extract(within(7_200))).toBe('stored words')
    expect(await extract(within(60))).toContain('Live words')
    expect(await charged()).toBeGreaterThan(paid)
    await target.close()
    opened.splice(opened.indexOf(target), 1)
    expect(await extract(within(60))).toBe('stored words')
    const strict = { max_age_seconds: 60, disable_cache_fallback: true }
    const { body } = await call('/parallel/v1/extract', { urls: [url], advanced_settings: { fetch_policy: strict } })
    expect(body).toMatchObject({ results: [], errors: [{ url, error_type: expect.any(String) }] })
  })

  it('take forms and query strings at the address of SearXNG and below it', async () => {
    const { server } = await start()
    const form = new URLSearchParams({ q: 'train', format: 'json', query_time: MARCH })
    const answers = await Promise.all(
      ['/searxng', '/searxng/', '/searxng/search'].flatMap(path => [
        fetch(`${server.url}${path}?${form}`),
        fetch(server.url + path, { method: 'POST', body: form }),
      ]),
    )
    const bodies = await Promise.all(answers.map(answer => answer.json()))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(new Set(bodies.map(body => JSON.stringify(body))).size).toBe(1)
    expect(bodies[0]).toMatchObject({ number_of_results: 2, results: [{ url: 'https://rail.example/ticket' }, {}] })
  })
})
