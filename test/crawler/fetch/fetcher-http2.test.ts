import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Fetcher } from '../../../crawler/fetch/fetcher.ts'
import { certificate, key } from '../loopback-certificate.ts'

let server: Http2SecureServer
let fetcher: Fetcher
let origin: string
const versions: string[] = []
beforeEach(async () => {
  versions.length = 0
  server = createSecureServer({ cert: certificate, key, allowHTTP1: true }, (request, response) => {
    versions.push(request.httpVersion)
    if (request.url === '/moved') response.writeHead(302, { location: '/zstd' }).end()
    else if (request.url === '/bomb') {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'zstd' })
      response.end(zlib.zstdCompressSync(Buffer.alloc(5_000_000, 'x')))
    } else {
      response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'zstd', etag: '"1"' })
      response.end(zlib.zstdCompressSync(Buffer.from('<p>by zstd')))
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  fetcher = new Fetcher({ allowPrivate: true, ca: certificate })
})
afterEach(async () => {
  await fetcher.close()
  await promisify(server.close.bind(server))()
})

describe('fetching over TLS', () => {
  it('uses HTTP/2 if the server offers it, redirects and zstd included', async () => {
    const page = await fetcher.fetch(`${origin}/moved`)
    expect(Buffer.from(page.body).toString()).toBe('<p>by zstd')
    expect(page).toMatchObject({ status: 200, url: `${origin}/zstd`, etag: '"1"' })
    expect(versions).toEqual(['2.0', '2.0'])
  })
  it('stops a zstd bomb at the size limit', async () => {
    await expect(fetcher.fetch(`${origin}/bomb`, { maxBytes: 100_000 })).rejects.toMatchObject({
      code: 'ASOF_FETCH_TOO_LARGE',
    })
  })
  it('reports a certificate that no trusted authority has signed', async () => {
    const doubting = new Fetcher({ allowPrivate: true })
    await expect(doubting.fetch(origin)).rejects.toMatchObject({
      code: 'ASOF_FETCH_UNREACHABLE',
      details: { reason: 'certificate' },
    })
    await doubting.close()
  })
})
