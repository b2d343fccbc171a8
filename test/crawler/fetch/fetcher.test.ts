import { createServer } from 'node:net'
import zlib from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { Fetcher, fetchPage } from '../../../crawler/fetch/fetcher.ts'
import { redirect, SiteServer } from '../site-server.ts'

let site: SiteServer
const fetchers: Fetcher[] = []
const fetcher = (options: ConstructorParameters<typeof Fetcher>[0] = {}) => {
  const made = new Fetcher({ allowPrivate: true, ...options })
  fetchers.push(made)
  return made
}
beforeAll(async () => {
  site = await SiteServer.start({ '/plain': 'hello' })
})
afterEach(async () => {
  vi.useRealTimers()
  for (const made of fetchers.splice(0)) await made.close()
})
afterAll(() => site.close())

const encoded = (encoding: string, body: Uint8Array) => {
  site.routes.set(`/${encoding}`, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(body)
  })
  return `${site.origin}/${encoding}`
}
const failure = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (reason: Error & { code?: string; details?: Record<string, unknown> }) => reason,
  )
  return { code: error?.code, details: error?.details, message: error?.message }
}

describe('an unwanted body', () => {
  it('does not keep its connection open if it never ends', async () => {
    const drips = new Set<object>()
    site.routes.set('/drip', (_, response) => {
      drips.add(response)
      const timer = setInterval(() => response.write('.'), 100)
      response.on('close', () => {
        clearInterval(timer)
        drips.delete(response)
      })
      response.writeHead(404).write('.')
    })
    const made = fetcher()
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => made.fetch(`${site.origin}/drip`)))
    expect(ends.every(({ status }) => status === 'rejected')).toBe(true)
    await expect.poll(() => drips.size, { timeout: 30_000 }).toBe(0)
  })
})

describe('connections to many sites', () => {
  const everywhere = async () => [{ address: '127.0.0.1', family: 4 }]
  /** Fetches a path from 200 hosts in turn; returns the largest number of connections that the site had open at a time. */
  const mostOpen = async (path: string): Promise<number> => {
    const made = fetcher({ resolve: everywhere })
    const { port } = new URL(site.origin)
    let most = 0
    for (let i = 0; i < 200; i++) {
      await made.fetch(`http://host-${i}.example:${port}${path}`).catch(() => undefined)
      most = Math.max(most, await site.openConnections())
    }
    return most
  }
  it('are closed beyond 64, whether error answers drip or pages are whole', async () => {
    site.routes.set('/slow', (_, response) => {
      const timer = setInterval(() => response.write('.'), 50)
      response.on('close', () => clearInterval(timer))
      response.writeHead(404).write('.')
    })
    expect(await mostOpen('/slow')).toBeLessThan(80)
    expect(await mostOpen('/plain')).toBeLessThan(80)
  })
  it('that fail for want of a file descriptor are failures that can be retried', async () => {
    const resolve = () => Promise.reject(Object.assign(new Error('too many'), { code: 'EMFILE' }))
    const ended = fetcher({ resolve }).fetch('http://host.example/')
    await expect(ended).rejects.toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      retryable: true,
      details: { reason: 'descriptors' },
    })
  })
})

describe('a fetched page', () => {
  it('has the body, the status and the URL that answered', async () => {
    const page = await fetcher({ userAgent: 'asof/test (+https://example.org)' }).fetch(`${site.origin}/plain#part`)
    expect(Buffer.from(page.body).toString()).toBe('hello')
    expect(page).toMatchObject({ url: `${site.origin}/plain`, status: 200, redirects: [] })
    expect(site.requests.at(-1)?.headers['user-agent']).toBe('asof/test (+https://example.org)')
  })
  it.each([
    ['gzip', zlib.gzipSync('content')],
    ['x-gzip', zlib.gzipSync('content')],
    ['br', zlib.brotliCompressSync('content')],
    ['zstd', zlib.zstdCompressSync('content')],
    ['deflate', zlib.deflateSync('content')],
    ['identity', Buffer.from('content')],
  ])('is decoded from %s', async (encoding, body) => {
    expect(Buffer.from((await fetcher().fetch(encoded(encoding, body))).body).toString()).toBe('content')
  })
  it('is decoded from raw deflate, and from two encodings one after the other', async () => {
    expect(
      Buffer.from((await fetcher().fetch(encoded('deflate', zlib.deflateRawSync('content')))).body).toString(),
    ).toBe('content')
    const twice = encoded('gzip, br', zlib.brotliCompressSync(zlib.gzipSync('content')))
    site.routes.set('/twice', site.routes.get('/gzip, br')!)
    expect(twice).toContain('gzip')
    expect(Buffer.from((await fetcher().fetch(`${site.origin}/twice`)).body).toString()).toBe('content')
  })
  it('is not taken for whole if it is cut off inside its encoding', async () => {
    const text = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `${i * 7919} `).join(''))
    for (const [encoding, whole] of [
      ['gzip', zlib.gzipSync(text)],
      ['br', zlib.brotliCompressSync(text)],
      ['deflate', zlib.deflateSync(text)],
      ['zstd', zlib.zstdCompressSync(text)],
      ['gzip', zlib.gzipSync(text.subarray(0, 2000))],
    ] as const)
      expect(await failure(fetcher().fetch(encoded(encoding, whole.subarray(0, whole.length / 2))))).toMatchObject({
        code: 'ASOF_FETCH_UNREACHABLE',
        message: expect.stringContaining('ends early'),
      })
  })
  it('is decoded although its server does not declare an encoding, if its type is one of text', async () => {
    const long = '<p>words</p>'.repeat(50_000)
    for (const [type, text] of [
      ['text/html', '<p>words</p>'],
      ['application/rss+xml', '<rss/>'],
      ['text/plain; charset=utf-8', long],
    ] as const)
      for (const encode of [zlib.gzipSync, zlib.zstdCompressSync]) {
        site.routes.set('/undeclared', (_, response) => {
          response.writeHead(200, { 'content-type': type }).end(encode(text))
        })
        const { body } = await fetcher().fetch(`${site.origin}/undeclared`)
        expect(Buffer.from(body).toString() === text).toBe(true)
      }
    const file = zlib.gzipSync('an archive')
    site.routes.set('/file', (_, response) => {
      response.writeHead(200, { 'content-type': 'application/gzip' }).end(file)
    })
    expect(Buffer.compare((await fetcher().fetch(`${site.origin}/file`)).body, file)).toBe(0)
  })
  it('may have an empty body in any encoding', async () => {
    for (const encoding of ['gzip', 'br', 'deflate']) {
      expect((await fetcher().fetch(encoded(encoding, Buffer.alloc(0)))).body).toHaveLength(0)
    }
  })
})

describe('a fetch', () => {
  it.each([
    ['gzip', zlib.gzipSync(Buffer.alloc(30_000_000))],
    ['br', zlib.brotliCompressSync(Buffer.alloc(30_000_000))],
    ['zstd', zlib.zstdCompressSync(Buffer.alloc(30_000_000))],
    ['deflate', zlib.deflateSync(Buffer.alloc(30_000_000))],
    ['identity', Buffer.alloc(2_000_000)],
  ])('stops a %s body that exceeds the size limit', async (encoding, body) => {
    const { code } = await failure(fetcher({ maxBytes: 1_000_000 }).fetch(encoded(encoding, body)))
    expect(code).toBe('ASOF_FETCH_TOO_LARGE')
  })
  it('stops an endless body at the limit, or cuts it there with truncate', async () => {
    site.routes.set('/endless', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' })
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    const url = `${site.origin}/endless`
    expect((await failure(fetcher({ maxBytes: 500_000 }).fetch(url))).code).toBe('ASOF_FETCH_TOO_LARGE')
    expect((await fetcher().fetch(url, { maxBytes: 500_000, truncate: true })).body).toHaveLength(500_000)
  })
  it('reports a body that is not valid in its encoding as unreachable', async () => {
    const broken = Buffer.concat([zlib.gzipSync('content').subarray(0, 10), Buffer.alloc(40, 0xff)])
    expect(await failure(fetcher().fetch(encoded('gzip', broken)))).toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      details: { reason: 'decoding' },
    })
    expect((await failure(fetcher().fetch(encoded('gzip', Buffer.from([0x1f]))))).code).toBe('ASOF_FETCH_UNREACHABLE')
  })
  it('reports an encoding that is not supported as an unsupported type', async () => {
    const compressed = Buffer.from([0x1f, 0x9d, 0x90, 1, 2])
    expect((await failure(fetcher().fetch(encoded('compress', compressed)))).code).toBe('ASOF_UNSUPPORTED_TYPE')
  })
  it('rejects a body whose first bytes acceptsHead does not accept', async () => {
    const { code, details } = await failure(
      fetcher().fetch(`${site.origin}/plain`, {
        acceptsHead: head => Buffer.from(head).toString().startsWith('%PDF-'),
      }),
    )
    expect([code, details?.contentType]).toEqual(['ASOF_UNSUPPORTED_TYPE', 'text/html; charset=utf-8'])
    const heads: number[] = []
    await fetcher().fetch(`${site.origin}/plain`, { acceptsHead: head => heads.push(head.length) === 1 })
    expect(heads).toHaveLength(1)
  })
  it('rejects a content type that accepts does not accept', async () => {
    const { code, details } = await failure(
      fetcher().fetch(`${site.origin}/plain`, { accepts: type => type === 'image/png' }),
    )
    expect([code, details?.contentType]).toEqual(['ASOF_UNSUPPORTED_TYPE', 'text/html; charset=utf-8'])
  })
  it('reports a status other than 2xx as an error with the status and the Retry-After', async () => {
    site.routes.set('/busy', (_, response) => response.writeHead(429, { 'retry-after': '7' }).end('later'))
    expect(await failure(fetcher().fetch(`${site.origin}/busy`))).toMatchObject({
      code: 'ASOF_FETCH_STATUS',
      details: { status: 429, retryAfterMs: 7000 },
    })
    site.routes.set('/dated', (_, response) => {
      response.writeHead(503, { 'retry-after': 'Wed, 01 Jan 2020 00:00:30 GMT' }).end()
    })
    const now = () => Date.UTC(2020, 0, 1)
    expect((await failure(fetcher({ now }).fetch(`${site.origin}/dated`))).details?.retryAfterMs).toBe(30_000)
  })
  it('applies the address guard unless allowPrivate is set, to redirects too', async () => {
    expect((await failure(fetchPage(`${site.origin}/plain`))).code).toBe('ASOF_ADDRESS_REFUSED')
    const viaName = fetchPage(site.origin.replace('127.0.0.1', 'localhost'))
    expect((await failure(viaName)).code).toBe('ASOF_ADDRESS_REFUSED')
    site.routes.set('/out', redirect('ftp://example.com/x'))
    expect((await failure(fetcher().fetch(`${site.origin}/out`))).code).toBe('ASOF_ADDRESS_REFUSED')
  })
  it('resolves a name once and connects to the address that was checked (no DNS rebinding)', async () => {
    const answers: string[] = []
    const resolve = async () => {
      answers.push(answers.length === 0 ? '127.0.0.1' : '127.0.0.2')
      return [{ address: answers.at(-1)!, family: 4 }]
    }
    const { port } = new URL(site.origin)
    const page = await fetcher({ resolve }).fetch(`http://rebind.test:${port}/plain`)
    expect(Buffer.from(page.body).toString()).toBe('hello')
    expect(answers).toEqual(['127.0.0.1'])
    const before = site.requests.length
    const guarded = failure(fetcher({ resolve, allowPrivate: false }).fetch(`http://rebind.test:${port}/plain`))
    expect(await guarded).toMatchObject({ code: 'ASOF_ADDRESS_REFUSED' })
    expect(site.requests.length).toBe(before)
  })
  it('rejects text that is not a URL', async () => {
    expect((await failure(fetcher().fetch('nonsense'))).code).toBe('ASOF_INVALID_URL')
  })
})

describe('redirects', () => {
  it('are followed, and onRedirect is called for each', async () => {
    site.routes.set('/a', redirect('/b', 301))
    site.routes.set('/b', redirect(`${site.origin}/plain`, 308))
    const hops: string[] = []
    const page = await fetcher().fetch(`${site.origin}/a`, { onRedirect: hop => void hops.push(hop) })
    expect(page).toMatchObject({ url: `${site.origin}/plain`, redirects: [`${site.origin}/a`, `${site.origin}/b`] })
    expect(hops).toEqual([`${site.origin}/b`, `${site.origin}/plain`])
  })
  it('are followed to a Location in UTF-8, escaped or not', async () => {
    site.routes.set('/umlaut', (_, response) => {
      response.writeHead(302, { location: Buffer.from('/größe', 'utf8').toString('latin1') }).end()
    })
    site.routes.set('/gr%C3%B6%C3%9Fe', 'found')
    expect((await fetcher().fetch(`${site.origin}/umlaut`)).url).toBe(`${site.origin}/gr%C3%B6%C3%9Fe`)
  })
  it('end the fetch at the URL for which fetchUnless returns a result', async () => {
    site.routes.set('/a', redirect('/b'))
    site.routes.set('/b', redirect('/plain'))
    const hops: string[] = []
    const stopAt = (stop: string) => async (hop: string) => {
      hops.push(hop)
      return hop === `${site.origin}${stop}` ? { stopped: hop } : undefined
    }
    const before = site.requests.length
    expect(await fetcher().fetchUnless(`${site.origin}/a`, stopAt('/plain'))).toEqual({ stopped: hops[1] })
    expect(site.requests.slice(before).map(({ path }) => path)).toEqual(['/a', '/b'])
    expect(await fetcher().fetchUnless(`${site.origin}/a`, stopAt('/none'))).toMatchObject({ status: 200 })
  })
  it('are an error in a circle or without end', async () => {
    site.routes.set('/loop', redirect('/loop2'))
    site.routes.set('/loop2', redirect('/loop'))
    expect((await failure(fetcher().fetch(`${site.origin}/loop`))).code).toBe('ASOF_FETCH_REDIRECTS')
    for (let i = 0; i < 12; i++) site.routes.set(`/chain${i}`, redirect(`/chain${i + 1}`))
    site.routes.set('/chain12', 'end')
    expect((await failure(fetcher().fetch(`${site.origin}/chain0`))).code).toBe('ASOF_FETCH_REDIRECTS')
    expect((await fetcher().fetch(`${site.origin}/chain2`)).url).toBe(`${site.origin}/chain12`)
  })
  it('are followed as often as the limit says, and not once more', async () => {
    for (const i of [0, 1, 2]) site.routes.set(`/hop${i}`, redirect(i === 2 ? '/plain' : `/hop${i + 1}`))
    const three = fetcher({ maxRedirects: 3 })
    expect((await three.fetch(`${site.origin}/hop0`)).url).toBe(`${site.origin}/plain`)
    const two = fetcher({ maxRedirects: 2 })
    expect((await failure(two.fetch(`${site.origin}/hop0`))).code).toBe('ASOF_FETCH_REDIRECTS')
    expect((await two.fetch(`${site.origin}/hop1`)).url).toBe(`${site.origin}/plain`)
  })
  it('are an error status without a Location', async () => {
    site.routes.set('/nowhere', (_, response) => response.writeHead(302).end())
    expect((await failure(fetcher().fetch(`${site.origin}/nowhere`))).details?.status).toBe(302)
  })
})

describe('conditional requests', () => {
  it('send the validators of the URL, and a 304 is an answer without a body', async () => {
    site.routes.set('/cond', (request, response) => {
      const fresh = request.headers['if-none-match'] === '"v1"'
      response.writeHead(fresh ? 304 : 200, { etag: '"v1"', 'last-modified': 'Wed, 01 Jan 2020 00:00:00 GMT' })
      response.end(fresh ? undefined : 'body')
    })
    const first = await fetcher().fetch(`${site.origin}/cond`)
    expect(first).toMatchObject({ etag: '"v1"', lastModified: 'Wed, 01 Jan 2020 00:00:00 GMT' })
    const again = await fetcher().fetch(`${site.origin}/cond`, {
      validators: url =>
        url === `${site.origin}/cond` ? { etag: '"v1"', lastModified: 'Wed, 01 Jan 2020 00:00:00 GMT' } : undefined,
    })
    expect([again.status, again.body.length]).toEqual([304, 0])
    expect(site.requests.at(-1)?.headers['if-modified-since']).toBe('Wed, 01 Jan 2020 00:00:00 GMT')
  })
})

describe('time limits', () => {
  it('end a fetch whose headers do not arrive, whose body stalls, or whose body trickles', async () => {
    site.routes.set('/mute', () => {})
    site.routes.set('/stall', (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).write('x'))
    site.routes.set('/trickle', (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      const drip = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(drip))
    })
    const quick = { totalTimeoutMs: 400, headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 }
    for (const path of ['/mute', '/stall', '/trickle']) {
      expect((await failure(fetcher(quick).fetch(site.origin + path))).code).toBe('ASOF_FETCH_TIMEOUT')
    }
  })
  it('do not count the time spent in onRedirect', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const pass = () => void vi.advanceTimersByTime(60_000)
    site.routes.set('/late', redirect('/plain'))
    expect((await fetcher().fetch(`${site.origin}/late`, { onRedirect: pass })).status).toBe(200)
    site.routes.set('/late-mute', redirect('/mute'))
    site.routes.set('/mute', pass)
    const late = fetcher().fetch(`${site.origin}/late-mute`, { onRedirect: pass })
    expect((await failure(late)).code).toBe('ASOF_FETCH_TIMEOUT')
  })
  it('do not delay a caller that aborts: the fetch rejects with the reason of the signal', async () => {
    const stop = new AbortController()
    site.routes.set('/hang', () => stop.abort(new Error('enough')))
    expect((await failure(fetcher().fetch(`${site.origin}/hang`, { signal: stop.signal }))).message).toBe('enough')
  })
})

describe('unreachable servers', () => {
  it('are reported with the reason: refused connections, unknown names and invalid protocols', async () => {
    const closed = await SiteServer.start()
    await closed.close()
    expect(await failure(fetcher().fetch(closed.origin))).toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      details: { reason: 'refused' },
    })
    const resolve = async () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    expect(await failure(fetcher({ resolve }).fetch('http://nowhere.test/'))).toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      details: { reason: 'dns' },
      message: 'http://nowhere.test/: the host name could not be resolved',
    })
    const rude = createServer(socket => socket.end('not http\r\n\r\n'))
    await new Promise<void>(done => rude.listen(0, '127.0.0.1', done))
    const address = rude.address() as { port: number }
    expect(await failure(fetcher().fetch(`http://127.0.0.1:${address.port}/`))).toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      message: `http://127.0.0.1:${address.port}/: the answer of the server is not valid HTTP`,
    })
    expect(await failure(fetcher().fetch(`https://127.0.0.1:${address.port}/`))).toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      message: `https://127.0.0.1:${address.port}/: no TLS connection could be set up with the server`,
    })
    rude.close()
  })
})
