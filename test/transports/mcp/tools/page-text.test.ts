import { describe, expect, it } from 'vitest'
import { pageText } from '../../../../transports/mcp/tools/page-text.ts'

const page = {
  url: 'https://docs.example/pools',
  title: 'Pools',
  author: 'Ann',
  published_at: '2025-05-01T00:00:00.000Z',
  content: '# Pools\n\nKeep connections.',
  description: '' as const,
}
const whole = { startIndex: 0, nextIndex: undefined, prompted: false }

describe('the text of a page', () => {
  it('has title, URL, dates and Markdown, between marks', () => {
    expect(pageText(page, whole, 'b0').split('\n').slice(1)).toEqual([
      '<web-content-b0>',
      'Pools',
      'https://docs.example/pools',
      'by Ann, published 2025-05-01T00:00:00.000Z',
      '',
      '# Pools',
      '',
      'Keep connections.',
      '</web-content-b0>',
    ])
  })

  it('has the fields of the page in one line between the marks', () => {
    const fields = { price: 19.9, tags: ['desk', 'a\nb'] }
    expect(pageText({ ...page, fields }, whole, 'b0').split('\n')[5]).toBe(
      'fields: {"price":19.9,"tags":["desk","a\\nb"]}',
    )
  })

  it('names the place of a cut, and how to read on', () => {
    expect(pageText(page, { ...whole, nextIndex: 25 }, 'b0')).toMatch(
      /Cut after 25 characters; the page continues\. To read on, call again with start_index=25, or with a prompt/,
    )
    const answered = pageText(page, { ...whole, nextIndex: 25, prompted: true }, 'b0')
    expect(answered).toContain('call again with a larger max_chars')
    expect(answered).not.toContain('start_index')
  })

  it('names the place where it continues', () => {
    const text = pageText(page, { ...whole, startIndex: 25, nextIndex: 50 }, 'b0')
    expect(text).toMatch(/^Continued at character 25:\n/)
    expect(text).toContain('Cut after 25 characters; the page continues. To read on, call again with start_index=50')
  })

  it('says that nothing is left after the end of the content', () => {
    const text = pageText({ ...page, content: '' }, { ...whole, startIndex: 900 }, 'b0')
    expect(text).toMatch(/^The content ends before character 900: there is nothing more to read\.\n/)
    expect(text).not.toContain('Continued')
  })

  it('names the time when the version was indexed in full, but not when it was superseded', () => {
    const versioned = { ...page, acquired_at: '2025-05-02T08:00:00.250Z', superseded_at: '2025-06-02T08:00:00.000Z' }
    const text = pageText(versioned, whole, 'b0')
    expect(text).toContain('by Ann, published 2025-05-01T00:00:00.000Z, indexed 2025-05-02T08:00:00.250Z')
    expect(text).not.toContain('2025-06')
  })

  it('says that it is the answer to a prompt', () => {
    expect(pageText(page, { ...whole, prompted: true }, 'b0')).toMatch(/^The answer of the page to the prompt:\n/)
  })

  it('has no control characters of the page', () => {
    expect(pageText({ ...page, content: 'a\u001b[31m\tb\nc' }, whole, 'b0')).toContain('a [31m\tb\nc')
  })
})
