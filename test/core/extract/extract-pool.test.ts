import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { ExtractPool, extract } from '../../../core/extract/extract-pool.ts'

const url = 'https://a.example/x'
const pool = new ExtractPool({ maxThreads: 1 })
afterAll(() => pool.close())

/** More work than any machine does in a few milliseconds. */
const slow = '<p>word, word</p>'.repeat(400_000)

describe('ExtractPool', () => {
  it('extracts in a worker what extractPage would', async () => {
    const page = await pool.run(Buffer.from('<title>T</title><p>a <b>b</b>'), { url })
    expect(page).toEqual({
      title: 'T',
      robots: { noindex: false, nofollow: false },
      markdown: 'a **b**',
      links: [],
      data: [],
    })
  })

  it('leaves the bytes of the caller as they were', async () => {
    const body = new TextEncoder().encode('<p>a')
    await pool.run(body, { url })
    expect(new TextDecoder().decode(body)).toBe('<p>a')
  })

  it('takes the memory of a body that is handed over, and no other memory', async () => {
    const own = new TextEncoder().encode('<p>a')
    const part = new Uint8Array(own.length + 1).subarray(1)
    part.set(own)
    for (const body of [own, part]) expect((await pool.run(body, { url, handOver: true })).markdown).toBe('a')
    expect([own.length, part.length]).toEqual([0, '<p>a'.length])
  })

  it('carries typed errors out of the worker', async () => {
    await expect(pool.run('GIF', { url, contentType: 'image/gif' })).rejects.toMatchObject({
      name: 'AsofError',
      code: 'ASOF_UNSUPPORTED_TYPE',
      retryable: false,
    })
  })

  it('gives up on a page over its time limit and goes on with a new worker', async () => {
    await expect(pool.run(slow, { url, timeoutMs: 20 })).rejects.toMatchObject({
      code: 'ASOF_EXTRACT_TIMEOUT',
      details: { url, timeoutMs: 20 },
    })
    expect((await pool.run('<p>a', { url })).markdown).toBe('a')
  })

  it('does not count waiting for a worker against a page', async () => {
    await pool.run('<p>a', { url })
    const timeoutMs = 1000
    const start = performance.now()
    const ahead = [1, 2, 3].map(() => pool.run(slow, { url, timeoutMs: 60_000 }))
    const behind = pool.run('<p>a', { url, timeoutMs })
    await Promise.all(ahead)
    expect(performance.now() - start).toBeGreaterThan(timeoutMs)
    expect((await behind).markdown).toBe('a')
  })

  it('survives a page that exhausts the heap of its worker', async () => {
    const small = new ExtractPool({ maxThreads: 1, maxHeapMb: 16 })
    await expect(small.run(slow, { url, timeoutMs: 60_000 })).rejects.toMatchObject({
      code: 'ASOF_EXTRACT_TIMEOUT',
      details: { url, limit: 'memory', heapMb: 16 },
    })
    expect((await small.run('<p>a', { url })).markdown).toBe('a')
    await small.close()
  })

  it('finishes the page in hand when closed, refuses those that wait and those that come', async () => {
    const closing = new ExtractPool({ maxThreads: 1 })
    const inHand = closing.run('<p>a', { url })
    const waiting = closing.run('<p>b', { url })
    await Promise.all([
      closing.close(),
      expect(inHand).resolves.toMatchObject({ markdown: 'a' }),
      expect(waiting).rejects.toMatchObject({ code: 'ASOF_CLOSED' }),
    ])
    await expect(closing.run('<p>c', { url })).rejects.toMatchObject({ code: 'ASOF_CLOSED' })
    await closing.close()
  })

  it('refuses a thread count out of range', () => {
    expect(() => new ExtractPool({ maxThreads: 0 })).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: { field: 'maxThreads' } }),
    )
  })
})

describe('extract', () => {
  it('shares one pool in the process', async () => {
    const pages = await Promise.all(['a', 'b', 'c'].map(text => extract(`<p>${text}`, { url })))
    expect(pages.map(page => page.markdown)).toEqual(['a', 'b', 'c'])
  })

  it('lets a script that only calls it end by itself', async () => {
    const module = new URL('../../../core/extract/extract-pool.ts', import.meta.url).href
    const script = `import { extract } from ${JSON.stringify(module)}
      console.log((await extract('<p>done', { url: ${JSON.stringify(url)} })).markdown)`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 120_000,
    })
    expect(stdout.trim()).toBe('done')
  })
})
