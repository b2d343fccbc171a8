import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isAsofError } from '../../extract/errors/errors.ts'
import { extractPage } from '../../extract/extract-page.ts'

const url = 'https://a.example/x'
const codeOf = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return isAsofError(error) ? error.code : String(error)
  }
  return 'no error'
}

describe('extractPage', () => {
  it.each([
    ['text/html', '<p>a*b', 'a\\*b'],
    ['application/xhtml+xml', '<?xml version="1.0"?><html><body><p>a</p></body></html>', 'a'],
    ['text/plain; charset=utf-8', '# a\nb <c>', '\\# a\nb \\<c>'],
    ['text/markdown', '# a\n\n*b*', '# a\n\n*b*'],
    ['application/json', '{"a":[1]}', '```json\n{\n  "a": [\n    1\n  ]\n}\n```'],
    ['application/problem+json', '{not json', '```json\n{not json\n```'],
    ['application/xml', '<doc><p>a</p></doc>', 'a'],
  ])('reads %s', (contentType, body, markdown) => {
    expect(extractPage(body, { url, contentType }).markdown).toBe(markdown)
  })

  it.each(['application/pdf', 'image/png', 'application/zip', 'video/mp4', 'font/woff2'])('rejects %s', contentType => {
    expect(codeOf(() => extractPage('x', { url, contentType }))).toBe('ASOF_UNSUPPORTED_TYPE')
  })

  it.each([
    ['HTML', '  <!DOCTYPE html><p>a', 'a'],
    ['HTML without a doctype', 'x <p>a</p>', 'x\n\na'],
    ['JSON', '[{"a":1}]', '```json\n[\n  {\n    "a": 1\n  }\n]\n```'],
    [
      'a feed',
      '<?xml version="1.0"?><rss><channel><title>T</title><item><title>a</title></item></channel></rss>',
      '- a',
    ],
    ['text', 'just - words', 'just - words'],
  ])('sniffs %s if the Content-Type is missing or unspecific', (_kind, body, markdown) => {
    expect(extractPage(body, { url }).markdown).toBe(markdown)
    expect(extractPage(Buffer.from(body), { url, contentType: 'application/octet-stream' }).markdown).toBe(markdown)
  })

  it('reads plain text as Markdown if the URL has its extension', () => {
    const page = extractPage('intro\n\n# The title\n\n[l](other.md)', {
      url: 'https://a.example/d/README.md',
      contentType: 'text/plain',
    })
    expect([page.title, page.links]).toEqual([
      'The title',
      [{ url: 'https://a.example/d/other.md', text: 'l', nofollow: false }],
    ])
  })

  it('rejects documents, which extractBody reads, and other binary data', () => {
    expect(codeOf(() => extractPage(Buffer.from('%PDF-1.7\n'), { url }))).toBe('ASOF_UNSUPPORTED_TYPE')
    expect(codeOf(() => extractPage(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), { url }))).toBe(
      'ASOF_UNSUPPORTED_TYPE',
    )
  })

  it('reads 20 MiB and rejects one byte more', () => {
    const limit = 20 * 1024 * 1024
    const body = Buffer.alloc(limit + 1, 'a ')
    expect(codeOf(() => extractPage(body, { url, contentType: 'text/html' }))).toBe('ASOF_EXTRACT_TOO_LARGE')
    expect(codeOf(() => extractPage(body.subarray(0, limit), { url, contentType: 'text/html' }))).toBe('no error')
  })

  it('rejects a URL that is not absolute', () => {
    expect(codeOf(() => extractPage('x', { url: 'x' }))).toBe('ASOF_INVALID_URL')
  })

  it('returns a page or throws an AsofError for any bytes', () => {
    const html = fc.array(
      fc.constantFrom(
        '<',
        '>',
        '</',
        '/>',
        '<!--',
        '-->',
        '<![CDATA[',
        '<p',
        '<a href=',
        '"',
        "'",
        '=',
        '<table>',
        '<tr><td>',
        '</table>',
        '<li>',
        '<script type="application/ld+json">',
        '</script>',
        '{"@type":"Article","datePublished":',
        '<meta property="article:published_time" content=',
        '<time datetime=',
        '2020-02-30',
        '&#xD800;',
        '&#0;',
        '&amp',
        '<svg>',
        '<math>',
        '<pre>',
        '\0',
        '\ud800',
        '<title>',
        '<base href=',
        'x',
        ' ',
        '\n',
        '<?xml',
        '<rss>',
        '<item>',
      ),
      { maxLength: 60 },
    )
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      html.map(parts => parts.join('')),
      html.map(parts => Buffer.from(parts.join(''))),
    )
    const contentType = fc.constantFrom(
      undefined,
      'text/html',
      'text/html; charset=utf-16',
      'application/xml',
      'application/json',
      'text/plain',
      'text/markdown',
      ';;=',
      '',
    )
    fc.assert(
      fc.property(body, contentType, (bytes, type) => {
        try {
          const page = extractPage(bytes, { url, contentType: type })
          expect(page.markdown.isWellFormed()).toBe(true)
          expect(page.publishedAt === undefined).toBe(page.publishedFrom === undefined)
          for (const link of page.links) expect(link.url).toMatch(/^https?:[^#]*$/)
        } catch (error) {
          if (!isAsofError(error)) throw error
        }
      }),
      { numRuns: 1000 },
    )
  })
})
