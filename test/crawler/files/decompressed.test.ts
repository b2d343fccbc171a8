import { gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decompressed } from '../../../crawler/files/decompressed.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { chunks, engine, useEmptyIndex } from './import-engine.ts'

useEmptyIndex()

async function textOf(bytes: Uint8Array | string, size?: number): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const part of decompressed(chunks(bytes, size))) parts.push(part)
  return Buffer.concat(parts).toString()
}

const lines = Array.from({ length: 5000 }, (_, i) => JSON.stringify({ url: `https://a.org/${i}`, text: `Text ${i}` }))
const text = lines.join('\n')

describe('the bytes of an import', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['gzip in two members', Buffer.concat([gzipSync(text.slice(0, 999)), gzipSync(text.slice(999))])],
    ['Zstandard', zstdCompressSync(text)],
    [
      'Zstandard in two frames',
      Buffer.concat([zstdCompressSync(text.slice(0, 999)), zstdCompressSync(text.slice(999))]),
    ],
    ['no compression', Buffer.from(text)],
  ])('are decompressed from %s, however they are cut', async (_, bytes) => {
    for (const size of [1, 1000]) expect((await textOf(bytes, size)) === text).toBe(true)
  })

  it('may be fewer than a signature has', async () => {
    expect([await textOf(''), await textOf('a')]).toEqual(['', 'a'])
  })

  it.each([
    ['gzip', gzipSync(text)],
    ['Zstandard', zstdCompressSync(text)],
  ])('that end early in %s are reported by the last line before, which is imported', async (format, bytes) => {
    const report = await importJsonl(engine, chunks(bytes.subarray(0, bytes.length - 100), 1000))
    expect(report.failed).toBeGreaterThan(0)
    expect(report.failures.at(-1)?.message).toBe(`the ${format} data is damaged or ends early`)
    expect(report.failures.at(-1)?.where).toMatch(/^after (?:line \d+|the beginning)$/)
    expect((await engine.stats()).urls).toBe(report.added)
  })

  it('that cannot be read fail with the error of the source', async () => {
    async function* source() {
      yield gzipSync(text).subarray(0, 50)
      throw new Error('the disk failed')
    }
    await expect(importJsonl(engine, source())).rejects.toThrow('the disk failed')
  })
})
