import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, sendRaw, startServer } from '../running-server.ts'

const page = 'https://example.com/a?x=1&y=2'
const capture = (acquiredAt: string, markdown: string, url = page) => ({ url, title: 'A', markdown, acquiredAt })

let server: RunningServer
let clock = Date.parse('2026-01-01T00:00:00Z')
beforeAll(async () => {
  server = await startServer({
    now: () => clock,
    captures: [
      capture('2025-01-10T00:00:00.250Z', 'one'),
      capture('2025-01-10T00:00:00.750Z', 'two'),
      capture('2025-06-10T12:00:00.000Z', 'three'),
      capture('2025-03-01', 'gone soon', 'https://example.com/gone'),
    ],
  })
  clock = Date.parse('2026-02-01T00:00:00Z')
  await server.engine.remove('https://example.com/gone')
  clock = Date.parse('2026-03-01T00:00:00Z')
  await server.engine.add([
    { url: 'https://example.com/gone', title: 'A', markdown: 'back', aliases: ['https://example.com/alias'] },
  ])
  clock = Date.parse('2026-06-01T00:00:00Z')
})
afterAll(() => server.close())

const ask = (path: string, init: RequestInit = {}) => fetch(`${server.url}${path}`, { redirect: 'manual', ...init })
const gate = (url: string, date?: string, init: RequestInit = {}) =>
  ask(`/timegate/${url}`, date === undefined ? init : { ...init, headers: { 'Accept-Datetime': date } })

/** The links of a header by relation type. */
function linksOf(response: Response): Map<string, { target: string; datetime: string | undefined }> {
  const links = new Map<string, { target: string; datetime: string | undefined }>()
  for (const [, target = '', parameters = ''] of response.headers
    .get('link')!
    .matchAll(/<([^>]*)>((?:; \w+="[^"]*")*)/g)) {
    const [, rels = ''] = /; rel="([^"]*)"/.exec(parameters) ?? []
    for (const rel of rels.split(' '))
      links.set(rel, { target, datetime: /; datetime="([^"]*)"/.exec(parameters)?.[1] })
  }
  return links
}
const uriM = (stamp: string, url = page) => `${server.url}/memento/${stamp}/${url}`
const one = '20250110000000250'
const two = '20250110000000750'
const three = '20250610120000000'

describe('a TimeGate', () => {
  it.each([
    ['Sat, 01 Mar 2025 00:00:00 GMT', two, 'the version that was current'],
    ['Tue, 10 Jun 2025 12:00:00 GMT', three, 'the version that began in this second'],
    ['Tue, 10 Jun 2025 11:59:59 GMT', two, 'no version that began later'],
    ['Fri, 10 Jan 2025 00:00:00 GMT', two, 'the last version of this second'],
    ['Sun, 01 Jan 2023 00:00:00 GMT', one, 'the first version, before all of them'],
    ['Sun, 01 Jan 2090 00:00:00 GMT', three, 'the last version, after all of them'],
    [undefined, three, 'the current version, without a date'],
  ])('redirects %s to %s: %s', async (date, stamp, _) => {
    const response = await gate(page, date)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(uriM(stamp))
    expect(response.headers.get('vary')).toContain('accept-datetime')
    expect(response.headers.has('memento-datetime')).toBe(false)
    const links = linksOf(response)
    expect(links.get('original')!.target).toBe(page)
    expect(links.get('timemap')!.target).toBe(`${server.url}/timemap/link/${page}`)
    expect(links.get('first')!.target).toBe(uriM(one))
    expect(links.get('last')!.target).toBe(uriM(three))
  })

  it('answers HEAD as GET, without a body', async () => {
    const response = await gate(page, undefined, { method: 'HEAD' })
    expect([response.status, response.headers.get('location')]).toEqual([302, uriM(three)])
  })

  it.each(['yesterday', '2025-05-01', 'Thu, 31 Feb 2025 12:00:00 GMT', 'x'.repeat(4_000)])(
    'refuses the date %j with 400, naming the header',
    async date => {
      const response = await gate(page, date)
      expect(response.status).toBe(400)
      expect(response.headers.get('vary')).toContain('accept-datetime')
      expect(await response.json()).toMatchObject({ error: 'invalid_request', details: [{ path: 'Accept-Datetime' }] })
    },
  )

  it('answers 404 for a page that the index never had', async () => {
    const response = await gate('https://example.com/none')
    expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([404, 'not_indexed'])
  })

  it.each([
    ['percent-encoded as a whole', encodeURIComponent(page)],
    ['in another spelling', 'HTTPS://EXAMPLE.com:443/a?x=1&y=2&utm_source=mail'],
    ['with one of its slashes merged away', 'https:/example.com/a?x=1&y=2'],
  ])('finds a page whose URL is %s', async (_, url) => {
    expect((await gate(url)).headers.get('location')).toBe(uriM(three))
  })

  it('finds the page that an alias leads to', async () => {
    const response = await gate('https://example.com/alias')
    expect(linksOf(response).get('original')!.target).toBe('https://example.com/gone')
  })
})

describe('a memento', () => {
  it('is what the citation of a result or a page leads to', async () => {
    const title = { 'X-Service-Title': 'tests' }
    const response = await ask('/v1/search/public?query=*&include=citation', { headers: title })
    const { results } = (await response.json()) as { results: { acquired_at: string; citation: { url: string } }[] }
    expect(results.length).toBeGreaterThan(0)
    for (const { acquired_at, citation } of results) {
      expect(citation.url.startsWith(`${server.url}/memento/`)).toBe(true)
      const cited = await fetch(citation.url)
      expect([cited.status, cited.headers.get('memento-datetime')]).toEqual([200, new Date(acquired_at).toUTCString()])
    }
    const fetched = await ask(`/v1/fetch/public?url=${encodeURIComponent(page)}&include=citation`, { headers: title })
    const { citation, content } = (await fetched.json()) as { citation: { url: string }; content: string }
    expect(await (await fetch(citation.url)).text()).toBe(content)
  })

  it('is the Markdown of the page as it was, with its date and links to its neighbors', async () => {
    const response = await ask(`/memento/${two}/${page}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(response.headers.get('memento-datetime')).toBe('Fri, 10 Jan 2025 00:00:00 GMT')
    expect(await response.text()).toBe('two')
    const links = linksOf(response)
    expect(links.get('original')!.target).toBe(page)
    expect(links.get('timegate')!.target).toBe(`${server.url}/timegate/${page}`)
    expect(links.get('timemap')!.target).toBe(`${server.url}/timemap/link/${page}`)
    expect(links.get('prev')).toEqual({ target: uriM(one), datetime: 'Fri, 10 Jan 2025 00:00:00 GMT' })
    expect(links.get('next')).toEqual({ target: uriM(three), datetime: 'Tue, 10 Jun 2025 12:00:00 GMT' })
    expect(links.get('first')!.target).toBe(uriM(one))
    expect(links.get('last')!.target).toBe(uriM(three))
    expect((await ask(`/memento/${two}/${page}`, { method: 'HEAD' })).headers.get('memento-datetime')).not.toBeNull()
  })

  it('is plain text for browsers, which scroll to a text fragment only there', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const response = await ask(`/memento/${two}/${page}`, { headers: { accept } })
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('vary')).toMatch(/\baccept\b(?!-)/)
    expect(await response.text()).toBe('two')
    expect((await ask(`/memento/${two}/${page}`)).headers.get('vary')).toMatch(/\baccept\b(?!-)/)
  })

  it('has its own URI even if two began in one second', async () => {
    const texts = await Promise.all([one, two].map(async stamp => (await ask(`/memento/${stamp}/${page}`)).text()))
    expect(texts).toEqual(['one', 'two'])
  })

  it.each([
    ['20250110000000', two],
    ['20250301000000', two],
    ['20250301000000000', two],
    ['20200101000000', one],
  ])('redirects from the time %s, at which no version began, to %s', async (stamp, expected) => {
    const response = await ask(`/memento/${stamp}/${page}`)
    expect([response.status, response.headers.get('location')]).toEqual([302, uriM(expected)])
    expect(response.headers.has('memento-datetime')).toBe(false)
  })

  it('of a removed page is a 404 with the date of the removal', async () => {
    const url = 'https://example.com/gone'
    const response = await gate(url, 'Sun, 15 Feb 2026 00:00:00 GMT')
    expect(response.headers.get('location')).toBe(uriM('20260201000000000', url))
    const memento = await fetch(response.headers.get('location')!)
    expect(memento.status).toBe(404)
    expect(memento.headers.get('memento-datetime')).toBe('Sun, 01 Feb 2026 00:00:00 GMT')
    expect(linksOf(memento).get('next')!.target).toBe(uriM('20260301000000000', url))
    expect(await memento.json()).toMatchObject({ error: 'not_indexed' })
  })

  it.each(['2025', 'now', '20250231000000', '2025011000000025'])('refuses the time %s with 400', async stamp => {
    expect((await ask(`/memento/${stamp}/${page}`)).status).toBe(400)
  })
})

describe('a TimeMap', () => {
  it('lists all mementos in link format, at its URI with and without the format', async () => {
    const response = await ask(`/timemap/link/${page}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/link-format')
    const body = await response.text()
    expect(body).toBe(
      [
        `<${page}>; rel="original"`,
        `<${server.url}/timegate/${page}>; rel="timegate"`,
        `<${server.url}/timemap/link/${page}>; rel="self"; type="application/link-format"; from="Fri, 10 Jan 2025 00:00:00 GMT"; until="Tue, 10 Jun 2025 12:00:00 GMT"`,
        `<${uriM(one)}>; rel="first memento"; datetime="Fri, 10 Jan 2025 00:00:00 GMT"`,
        `<${uriM(two)}>; rel="memento"; datetime="Fri, 10 Jan 2025 00:00:00 GMT"`,
        `<${uriM(three)}>; rel="last memento"; datetime="Tue, 10 Jun 2025 12:00:00 GMT"\n`,
      ].join(',\n'),
    )
    expect(await (await ask(`/timemap/${page}`)).text()).toBe(body)
  })

  it('comes in parts of 1,000 that link to each other', async () => {
    const url = 'https://example.com/often'
    const begin = Date.parse('2025-01-01T00:00:00.000Z')
    const captures = Array.from({ length: 2_300 }, (_, n) =>
      capture(new Date(begin + n).toISOString(), `text ${n}`, url),
    )
    await server.engine.add(captures)
    const sizes: number[] = []
    const mementos = new Set<string>()
    const maps = new Set([`${server.url}/timemap/link/${url}`])
    // The set grows while it is iterated: each TimeMap links to the next one.
    for (const map of maps) {
      const body = await (await fetch(map)).text()
      expect(body).toContain(`<${map}>; rel="self"`)
      const targets = (rel: string) =>
        [...body.matchAll(new RegExp(`<([^>]*)>; rel="${rel}"`, 'g'))].map(([, to]) => to!)
      const listed = targets('[^"]*memento')
      sizes.push(listed.length)
      for (const memento of listed) mementos.add(memento)
      for (const other of targets('timemap')) maps.add(other)
    }
    expect(sizes).toEqual([1_000, 1_000, 300])
    expect(mementos.size).toBe(2_300)
  })

  it.each(['link/20250231000000000', 'link/2025', 'link', ''])('refuses /timemap/%s with 400', async path => {
    expect((await ask(`/timemap/${path}${path.includes('/') ? `/${page}` : ''}`)).status).toBe(400)
  })
})

describe('the routes of Memento', () => {
  it('accept only GET and HEAD', async () => {
    for (const path of [`/timegate/${page}`, `/timemap/link/${page}`, `/memento/${one}/${page}`]) {
      const response = await ask(path, { method: 'POST', body: 'x' })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('count against the limit of an address, and need no application name', async () => {
    const limited = await startServer({
      captures: [capture('2025-01-10', 'one')],
      http: { keylessLimits: { perSecond: 2, perHour: 2 } },
    })
    try {
      const statuses = []
      for (let count = 0; count < 3; count += 1) {
        const response = await fetch(`${limited.url}/timegate/${page}`, { redirect: 'manual' })
        statuses.push(response.status)
        expect(response.headers.get('x-ratelimit-limit')).toBe('2')
      }
      expect(statuses).toEqual([302, 302, 429])
    } finally {
      await limited.close()
    }
  })

  it('use the public address of the server if it is set', async () => {
    const named = await startServer({
      captures: [capture('2025-01-10', 'one')],
      http: { baseUrl: 'https://s.example/api/' },
    })
    try {
      const response = await fetch(`${named.url}/timegate/${page}`, { redirect: 'manual' })
      expect(response.headers.get('location')).toBe(`https://s.example/api/memento/20250110000000000/${page}`)
    } finally {
      await named.close()
    }
  })

  it('keep their headers short for a very long URL', async () => {
    const url = `https://example.com/${'a'.repeat(2_000)}`
    await server.engine.add([capture('2025-01-10', 'one', url), capture('2025-01-11', 'two', url)])
    const response = await gate(url)
    expect(response.status).toBe(302)
    expect(response.headers.get('link')!.length).toBeLessThan(8_000)
    expect([...linksOf(response).keys()]).toEqual(['original', 'timegate', 'timemap'])
  })

  it('refuse hostile targets with 400 or 404, never with 500', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        'https://',
        'http://[',
        '%',
        '%2F',
        '%00',
        '..',
        '//',
        '?',
        ';',
        '20250110000000',
        'link',
        '/',
        ':',
        'file:///etc/hosts',
      ),
      fc.string({ maxLength: 8 }).map(text => encodeURIComponent(text.toWellFormed())),
      fc.integer({ min: 1, max: 15_000 }).map(length => 'x'.repeat(length)),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          '/timegate/',
          '/timemap/',
          '/timemap/link/',
          '/memento/',
          '/memento/20250110000000/',
          '/%74imegate/',
        ),
        fc.array(part, { maxLength: 4 }),
        async (route, parts) => {
          const target = `${route}${parts.join('')}`
          const answer = await sendRaw(
            server.url,
            `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
          )
          expect(['400', '404']).toContain(answer.slice(9, 12))
        },
      ),
      { numRuns: 200 },
    )
    expect(server.failures).toEqual([])
  })

  it('accept a request target in absolute form', async () => {
    const answer = await sendRaw(
      server.url,
      `GET http://localhost:80/timegate/${page} HTTP/1.1\r\nHost: localhost:80\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1.1 302 /)
    expect(answer).toContain(`location: http://localhost:80/memento/${three}/${page}\r\n`)
  })
})
