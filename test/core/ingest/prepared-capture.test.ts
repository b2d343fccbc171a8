import { describe, expect, it } from 'vitest'
import { checkAliases, prepareCapture } from '../../../core/ingest/prepared-capture.ts'
import type { CaptureInput } from '../../../core/page.ts'
import { MAX_BODY_BYTES } from '../../../extract/kind-of-body.ts'

const NOW = Date.UTC(2024, 5, 1)
const url = 'https://example.com/page'
const prepare = (input: unknown) => prepareCapture(input as CaptureInput, NOW)
const code = (name: string) => expect.objectContaining({ code: name })
const invalid = code('ASOF_INVALID_CAPTURE')

describe('a prepared capture', () => {
  const refusals: [string, unknown, string][] = [
    ['nothing', undefined, 'ASOF_INVALID_CAPTURE'],
    ['null', null, 'ASOF_INVALID_CAPTURE'],
    ['a string', 'https://example.com/', 'ASOF_INVALID_CAPTURE'],
    ['no URL', { text: 'x' }, 'ASOF_INVALID_CAPTURE'],
    ['a URL that is no string', { url: 7, text: 'x' }, 'ASOF_INVALID_CAPTURE'],
    ['a URL that is not absolute', { url: '/page', text: 'x' }, 'ASOF_INVALID_URL'],
    ['a URL of another scheme', { url: 'ftp://example.com/', text: 'x' }, 'ASOF_INVALID_URL'],
    ['data without end', { url, text: 'x', data: new Array(2 ** 32 - 1) }, 'ASOF_INVALID_CAPTURE'],
    ['no body', { url }, 'ASOF_INVALID_CAPTURE'],
    ['a body of null', { url, text: null }, 'ASOF_INVALID_CAPTURE'],
    ['two bodies', { url, text: 'x', html: 'x' }, 'ASOF_INVALID_CAPTURE'],
    ['three bodies', { url, text: '', html: '', markdown: '' }, 'ASOF_INVALID_CAPTURE'],
    ['a body that is neither string nor bytes', { url, text: 7 }, 'ASOF_INVALID_CAPTURE'],
    ['a body of too many bytes', { url, html: new Uint8Array(MAX_BODY_BYTES + 1) }, 'ASOF_EXTRACT_TOO_LARGE'],
    ['a body of too many characters', { url, text: 'x'.repeat(MAX_BODY_BYTES + 1) }, 'ASOF_EXTRACT_TOO_LARGE'],
    ['aliases that are no list', { url, text: 'x', aliases: url }, 'ASOF_INVALID_CAPTURE'],
    ...['title', 'author', 'description', 'lang', 'contentType'].map((field): [string, unknown, string] => [
      `a ${field} that is no string`,
      { url, text: 'x', [field]: 7 },
      'ASOF_INVALID_CAPTURE',
    ]),
    ['data that is no list', { url, text: 'x', data: {} }, 'ASOF_INVALID_CAPTURE'],
    ['data that is no JSON', { url, text: 'x', data: [{ toJSON: () => [].at.call(null, 0) }] }, 'ASOF_INVALID_CAPTURE'],
    ['a publish date in no known form', { url, text: 'x', publishedAt: 'yesterday' }, 'ASOF_INVALID_TIME'],
    ['a publish date that is no instant', { url, text: 'x', publishedAt: Number.NaN }, 'ASOF_INVALID_TIME'],
    [
      'provenance without a source',
      { url, text: 'x', publishedAt: 0, publishedFrom: { precision: 'day' } },
      'ASOF_INVALID_CAPTURE',
    ],
    [
      'provenance of no known precision',
      { url, text: 'x', publishedAt: 0, publishedFrom: { source: 'meta', precision: 'hour' } },
      'ASOF_INVALID_CAPTURE',
    ],
    ['an acquisition in no known form', { url, text: 'x', acquiredAt: '7d' }, 'ASOF_INVALID_TIME'],
    ['an acquisition in the future', { url, text: 'x', acquiredAt: NOW + 1 }, 'ASOF_INVALID_TIME'],
  ]
  for (const [name, input, expected] of refusals) {
    it(`is rejected with ${expected} if it has ${name}`, () => {
      expect(() => prepare(input)).toThrow(code(expected))
    })
  }

  it('loses wrong aliases with a warning that names them, which are errors of other observations', () => {
    const warnings: unknown[] = []
    const other = 'https://example.com/other'
    expect(checkAliases([5, other, '/page'], warning => warnings.push(warning))).toEqual([other])
    expect(warnings).toEqual([
      { field: 'aliases', reason: 'the alias at 0 is 5, not a string: left out' },
      {
        field: 'aliases',
        reason: expect.stringMatching(/^the alias at 2: "\/page" is not an absolute URL.*: left out$/),
      },
    ])
    expect(() => checkAliases([other, null])).toThrow('the alias at 1 is null, not a string')
  })

  it('is rejected if its data is circular', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(() => prepare({ url, text: 'x', data: [circle] })).toThrow(invalid)
  })

  it('may have a body of the maximum size, an empty body, and a body of bytes', () => {
    expect(prepare({ url, html: new Uint8Array(MAX_BODY_BYTES) }).kind).toBe('html')
    expect(prepare({ url, text: '' })).toMatchObject({ kind: 'text', body: '' })
    expect(prepare({ url, markdown: Uint8Array.of(35) })).toMatchObject({ kind: 'markdown', body: Uint8Array.of(35) })
  })

  it('has normalized URLs and aliases', () => {
    const { url: normal, aliases } = prepare({
      url: 'HTTPS://Example.com:443/a?utm_source=x#top',
      text: 'x',
      aliases: ['http://EXAMPLE.com/b#c'],
    })
    expect([normal, aliases]).toEqual(['https://example.com/a', ['http://example.com/b']])
  })

  it('has the fields that were passed; null and undefined count as absent', () => {
    const given = { title: 'T', author: 'A', description: 'D', lang: 'en', contentType: 'text/html' }
    expect(prepare({ url, html: '<p>', ...given })).toMatchObject(given)
    const none = { title: null, author: undefined, data: null, publishedAt: null, acquiredAt: undefined, text: null }
    const kept = prepare({ url, html: '<p>', ...none })
    for (const field of ['title', 'author', 'data', 'publishedAt', 'publishedFrom', 'acquiredAt'])
      expect(kept).not.toHaveProperty(field)
    expect(prepare({ url, text: 'x', acquiredAt: null, seenAt: null, removedAt: null, aliasedAt: null })).toEqual(
      prepare({ url, text: 'x' }),
    )
  })

  it.each<[string, object, object, string[]]>([
    [
      'aliases',
      { aliases: [null, 'https://a.example/', 7, 'x'] },
      { aliases: ['https://a.example/'] },
      ['0', '2', '3'],
    ],
    ['data', { data: [{ a: 1 }, 'Product', null] }, { data: [{ a: 1 }] }, ['1', '2']],
    ['data with a hole', { data: [{ a: 1 }, undefined, { b: 1 }] }, { data: [{ a: 1 }, { b: 1 }] }, ['1']],
    ['data that turns into something else', { data: [{ toJSON: () => 7 }] }, { data: [] }, ['0']],
  ])('loses the wrong values of a list with a warning: %s', (_, given, kept, places) => {
    const warnings: { field: string; reason: string }[] = []
    const prepared = prepareCapture({ url, text: 'x', ...given } as CaptureInput, NOW, one => warnings.push(one))
    expect(prepared).toMatchObject(kept)
    expect(warnings.map(({ reason }) => /at (\d+)\b.*: left out$/.exec(reason)?.[1])).toEqual(places)
  })

  it('keeps the digits of an integer in data that a number does not hold', () => {
    expect(prepare({ url, text: 'x', data: [{ sku: 12345678901234567n }] }).data).toEqual([
      { sku: '12345678901234567' },
    ])
  })

  it('may have a declared time of now or any time before', () => {
    expect(prepare({ url, text: 'x', acquiredAt: NOW }).acquiredAt).toBe(NOW)
    expect(prepare({ url, text: 'x', acquiredAt: '1969-12-31' }).acquiredAt).toBe(-86_400_000)
    expect(prepare({ url, text: 'x', acquiredAt: new Date(5) }).acquiredAt).toBe(5)
  })

  it('has the precision of its declared publish date', () => {
    const from = (publishedAt: unknown) => prepare({ url, text: 'x', publishedAt }).publishedFrom
    expect(from('2024-05-01')).toEqual({ source: 'declared', precision: 'day' })
    expect(from('2024-05-01T00:00:00Z')).toEqual({ source: 'declared', precision: 'second' })
    expect(from(0)).toEqual({ source: 'declared', precision: 'second' })
    const publishedFrom = { source: 'feed', precision: 'minute' }
    expect(prepare({ url, text: 'x', publishedAt: 0, publishedFrom }).publishedFrom).toEqual(publishedFrom)
  })
})
