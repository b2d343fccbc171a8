import { describe, expect, it } from 'vitest'
import { ByteReader } from '../../../core/bytes/byte-buffer.ts'
import { analyze } from '../../../core/ingest/analyze.ts'
import { prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { CaptureInput } from '../../../core/page.ts'
import { readTermVector, termHash, VECTOR_TERMS } from '../../../core/segment/term-vector.ts'
import { decodeStoredBody, encodedParts } from '../../../core/store/records/documents.ts'
import { ANALYZER } from '../../../core/text/languages/analyzers.ts'
import { processorMs } from '../../processor-time.ts'

const NOW = Date.UTC(2024, 0, 1)
const url = 'https://example.com/page'

function analyzed(input: Partial<CaptureInput>) {
  const { group, failures } = analyze([prepareCapture({ url, ...input }, NOW)], ANALYZER)
  expect(failures).toEqual([])
  const capture = group.captures[0]!
  return {
    ...capture,
    ...decodeStoredBody(encodedParts(group.bodies.subarray(capture.bodyStart, capture.bodyEnd)), capture.values),
  }
}

function vectorOf(input: Partial<CaptureInput>) {
  const { group } = analyze(
    [prepareCapture({ url, text: 'another page before' }, NOW), prepareCapture({ url, ...input }, NOW)],
    ANALYZER,
  )
  const { vectorStart, vectorEnd } = group.captures[1]!
  const { hashes, frequencies } = readTermVector(new ByteReader(group.vectors.subarray(vectorStart, vectorEnd)))
  return { hashes: [...hashes], frequencies: [...frequencies] }
}
const hashOf = (term: string) => termHash(Buffer.from(term), 0, Buffer.byteLength(term))

describe('analysis', () => {
  it('stores the terms of a page except function words in the term vector, those of the title first and counted three times', () => {
    expect(vectorOf({ title: 'The Rivers', text: 'A river, the stone of a bridge; 東京. Stone!' })).toEqual({
      hashes: ['river', 'stone', 'bridg', '东京'].map(hashOf),
      frequencies: [4, 2, 1, 1],
    })
  })

  it('limits the number of terms in the term vector, and each frequency to 255', () => {
    const words = Array.from({ length: 1000 }, (_, i) => `word${i}`)
    const { hashes } = vectorOf({ title: 'T1', text: words.join(' ') })
    expect(hashes).toEqual(['t1', ...words].slice(0, VECTOR_TERMS).map(hashOf))
    expect(vectorOf({ title: 'stone', text: 'stone '.repeat(500) }).frequencies).toEqual([255])
  })

  it('uses the declared title, else the first line with any text, else the URL, and none for a page without text', () => {
    const title = (input: Partial<CaptureInput>) => analyzed(input).title
    expect(title({ markdown: '# Heading #\n\ntext', title: ' Given ' })).toBe('Given')
    expect(title({ markdown: '\n\n## A *heading* ##\n\ntext' })).toBe('A heading')
    expect(title({ markdown: '***\n\nFirst [line](https://x.example/).\nSecond' })).toBe('First line.')
    expect(title({ markdown: '# C#' })).toBe('C#')
    expect(title({ markdown: `${'***\n\n'.repeat(70)}text` })).toBe(url)
    expect(title({ markdown: ' \n ' })).toBe('')
    expect(title({ markdown: 'x'.repeat(5000) })).toBe('x'.repeat(200))
    expect(title({ html: '<title>Of the page</title><p>text' })).toBe('Of the page')
    expect(title({ html: '<title>Of the page</title><p>text', title: 'Given' })).toBe('Given')
  })

  it('cuts a title made from the text where it would cut a declared one', () => {
    const { title: long } = analyzed({ markdown: `${'x'.repeat(199)} and more` })
    expect(long).toBe('x'.repeat(199))
    expect(analyzed({ markdown: 'y', title: long }).title).toBe(long)
  })

  it('finds the title quickly even if the first line is hostile', () => {
    const spaces = ' '.repeat(2000)
    const ms = processorMs(() => {
      expect(analyzed({ markdown: `#${spaces}a${spaces}\u2028b` }).title).toMatch(/^a/)
    })
    expect(ms).toBeLessThan(20_000)
  })

  it('gives equal titles and texts equal fingerprints, regardless of markup and white space', () => {
    const print = (markdown: string, title = 'T') => analyzed({ markdown, title }).fingerprint
    expect(print('some *text*  here')).toBe(print('some text\n\nhere'))
    expect(print('some text here')).toMatch(/^[0-9a-f]{16}$/)
    expect(print('some text here')).not.toBe(print('some text there'))
    expect(print('some text here')).not.toBe(print('some text here', 'U'))
  })

  it('stores exactly the details that are present', () => {
    const { details } = analyzed({
      markdown: 'x',
      author: 'A',
      lang: 'en',
      data: [{ '@type': 'Thing' }],
      publishedAt: '2023-01-01',
    })
    expect(details).toEqual({
      author: 'A',
      lang: 'en',
      data: [{ '@type': 'Thing' }],
      publishedFrom: { source: 'declared', precision: 'day' },
    })
    expect(analyzed({ markdown: 'x', data: [] }).details).toEqual({})
  })

  it('prefers metadata from the caller to that in the page', () => {
    const html = '<html lang="fr"><head><meta name="author" content="Page"><title>Page</title></head><p>text'
    expect(analyzed({ html }).details).toMatchObject({ lang: 'fr', author: 'Page' })
    expect(analyzed({ html, lang: 'en', author: 'Given' }).details).toMatchObject({ lang: 'en', author: 'Given' })
  })

  it('reports a capture that cannot be extracted by its index, and analyzes the others', () => {
    const good = (name: string) => prepareCapture({ url: `https://example.com/${name}`, text: name }, NOW)
    const image = prepareCapture({ url, html: 'GIF89a', contentType: 'image/gif' }, NOW)
    const { group, failures } = analyze([good('a'), image, good('b')], ANALYZER)
    expect(failures).toEqual([
      { index: 1, code: 'ASOF_UNSUPPORTED_TYPE', message: expect.stringContaining('content type') },
    ])
    expect(group.captures.map(capture => capture.url)).toEqual(['https://example.com/a', 'https://example.com/b'])
  })
})
