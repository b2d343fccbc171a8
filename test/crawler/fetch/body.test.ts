import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { readBody } from '../../../crawler/fetch/body.ts'

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
      const read = await readBody(sliced(encode(content)).body, encoding, {
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
      await expect(readBody(sliced(encode(content)).body, encoding, limits)).rejects.toMatchObject({
        code: 'ASOF_FETCH_TOO_LARGE',
      })
    }
    const cut = await readBody(sliced(encode(Buffer.alloc(400_000, 'a'))).body, encoding, {
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
    await expect(readBody(body, encoding, limits)).rejects.toBe(refusal)
    expect(body.destroyed).toBe(true)
    expect(asked()).toBeLessThan(200)
  })
})
