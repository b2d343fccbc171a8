import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readResponseBody } from '../../../crawler/fetch/body.ts'

const encodings: [string, (bytes: Uint8Array) => Buffer][] = [
  ['gzip', zlib.gzipSync],
  ['br', bytes => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ['zstd', zlib.zstdCompressSync],
  ['deflate', zlib.deflateSync],
]
/** Incompressible contents: the first two are decoded in one call, the last one through streams. */
const contents = [100, 60_000, 400_000].map(bytes => randomBytes(bytes))

/** Makes a body that arrives in slices; `asked` returns how many were read. */
function sliced(bytes: Uint8Array, slice = 5000): { body: Readable; asked: () => number } {
  let asked = 0
  function* slices(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += slice) {
      asked++
      yield bytes.subarray(at, at + slice)
    }
  }
  return { body: Readable.from(slices(), { objectMode: false, highWaterMark: slice }), asked: () => asked }
}

describe.each(encodings)('a body in %s', (encoding, encode) => {
  it('is decoded to the original content, whatever its length', async () => {
    for (const content of contents) {
      const heads: number[] = []
      const read = await readResponseBody(sliced(encode(content)).body, encoding, {
        maxBytes: 1_000_000,
        onHead: head => heads.push(head.length),
      })
      expect(Buffer.compare(read, content)).toBe(0)
      expect(heads).toHaveLength(1)
      expect(heads[0]).toBeGreaterThanOrEqual(5)
    }
  })
  it('is rejected over the size limit, as received or as decoded, and cut with truncate', async () => {
    for (const content of [...contents.slice(1), Buffer.alloc(400_000)]) {
      const limits = { maxBytes: 50_000 }
      await expect(readResponseBody(sliced(encode(content)).body, encoding, limits)).rejects.toMatchObject({
        code: 'ASOF_FETCH_TOO_LARGE',
      })
    }
    const cut = await readResponseBody(sliced(encode(Buffer.alloc(400_000, 'a'))).body, encoding, {
      maxBytes: 50_000,
      truncate: true,
    })
    expect(Buffer.compare(cut, Buffer.alloc(50_000, 'a'))).toBe(0)
  })
  it('is destroyed when onHead throws', async () => {
    const { body, asked } = sliced(encode(randomBytes(2_000_000)))
    const refusal = new Error('not that')
    const limits = {
      maxBytes: 10_000_000,
      onHead: () => {
        throw refusal
      },
    }
    await expect(readResponseBody(body, encoding, limits)).rejects.toBe(refusal)
    expect(body.destroyed).toBe(true)
    expect(asked()).toBeLessThan(200)
  })
})

describe('a body that is not encoded as its server says', () => {
  const html = `<!doctype html><title>Grüße</title><p>${'words of the page '.repeat(20)}`
  const long = html + 'and more '.repeat(20_000)
  const readText = async (bytes: Uint8Array, encoding: string) =>
    (await readResponseBody(sliced(bytes).body, encoding, { maxBytes: 1_000_000 })).toString()

  it.each([
    'none',
    'UTF-8',
    'binary',
    'identity, none',
    'text/html',
    '*',
    'gzip',
    'br',
    'deflate',
    'zstd',
    'gzip, br',
    'x, gzip',
  ])('is read as it is although it is declared as %s', async encoding => {
    for (const text of [html, long, '<p>a', 'a'])
      expect((await readText(Buffer.from(text), encoding)) === text, `${text.length} characters`).toBe(true)
    const latin = Buffer.from(html, 'latin1')
    expect(Buffer.compare(await readResponseBody(sliced(latin).body, encoding, { maxBytes: 100_000 }), latin)).toBe(0)
  })
  it.each([
    ['utf-8, gzip', zlib.gzipSync],
    ['gzip, utf-8', zlib.gzipSync],
    ['gzip, gzip', zlib.gzipSync],
    ['none', zlib.gzipSync],
    ['none', zlib.zstdCompressSync],
    ['br, gzip', zlib.gzipSync],
    ['gzip, br', zlib.brotliCompressSync],
    ['br', zlib.gzipSync],
    ['deflate', zlib.gzipSync],
    ['gzip', zlib.zstdCompressSync],
    ['zstd', zlib.gzipSync],
    ['gzip', zlib.brotliCompressSync],
    ['gzip', (bytes: Uint8Array) => zlib.gzipSync(zlib.gzipSync(bytes))],
  ] as const)('is decoded as far as it is encoded: %s', async (encoding, encode) => {
    for (const text of [html, long]) expect((await readText(encode(Buffer.from(text)), encoding)) === text).toBe(true)
  })
  it('keeps a document', async () => {
    const file = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(300)])
    for (const encoding of ['none', 'gzip', 'br'])
      expect(Buffer.compare(await readResponseBody(sliced(file).body, encoding, { maxBytes: 1000 }), file)).toBe(0)
  })
})
