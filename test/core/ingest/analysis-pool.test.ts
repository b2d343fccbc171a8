import { afterAll, describe, expect, it } from 'vitest'
import { AnalysisPool } from '../../../core/ingest/analysis-pool.ts'
import { type PreparedCapture, prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'

const pool = new AnalysisPool(ANALYZER)
afterAll(() => pool.close())

const page = (name: string): PreparedCapture =>
  prepareCapture({ url: `https://example.com/${name}`, html: `<title>${name}</title><p>The page ${name}.` }, 0)

/** A capture that cannot be sent to a thread; it stands for one that crashes its thread. */
const poisoned = (name: string): PreparedCapture =>
  ({ ...page(name), data: [{ poison: () => {} }] }) as unknown as PreparedCapture

const titles = (results: Awaited<ReturnType<AnalysisPool['run']>>) =>
  results.flatMap(({ group }) => group.captures.map(({ title }) => title))

describe('the analysis pool', () => {
  it('analyzes a group of pages together', async () => {
    const results = await pool.run([page('a'), page('b')])
    expect(results.length).toBe(1)
    expect(titles(results)).toEqual(['a', 'b'])
    expect(results[0]!.failures).toEqual([])
  })

  it('isolates the one capture that its thread fails on', async () => {
    const results = await pool.run([page('a'), poisoned('b'), page('c')])
    expect(titles(results)).toEqual(['a', 'c'])
    expect(results.map(({ failures }) => failures.map(({ index, code }) => [index, code]))).toEqual([
      [],
      [[0, 'ASOF_EXTRACT_FAILED']],
      [],
    ])
    expect(titles(await pool.run([page('d')]))).toEqual(['d'])
  })

  it('reports a page that cannot be extracted without analyzing the pages of its group one by one', async () => {
    const image = prepareCapture({ url: 'https://example.com/i', html: 'GIF', contentType: 'image/gif' }, 0)
    const results = await pool.run([page('a'), image])
    expect(results.length).toBe(1)
    expect(results[0]!.failures.map(({ index, code }) => [index, code])).toEqual([[1, 'ASOF_UNSUPPORTED_TYPE']])
  })

  it('gives the same results for small texts, which it analyzes in place, and for large ones', async () => {
    const text = (name: string, words: number) =>
      prepareCapture({ url: `https://example.com/${name}`, text: `${name} ${'word '.repeat(words)}`, title: name }, 0)
    expect(titles(await pool.run([text('small', 3)]))).toEqual(['small'])
    expect(titles(await pool.run([text('large', 10_000)]))).toEqual(['large'])
  })

  it('rejects groups after it is closed', async () => {
    const closing = new AnalysisPool(ANALYZER)
    await closing.run([page('a')])
    await closing.close()
    await expect(closing.run([page('b')])).rejects.toThrow(expect.objectContaining({ code: 'ASOF_CLOSED' }))
  })
})
