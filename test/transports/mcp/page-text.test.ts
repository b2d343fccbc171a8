import { describe, expect, it } from 'vitest'
import { pageText } from '../../../transports/mcp/page-text.ts'

const page = {
  url: 'https://docs.example/pools',
  title: 'Pools',
  author: 'Ann',
  published_at: '2025-05-01T00:00:00.000Z',
  content: '# Pools\n\nKeep connections.',
  description: '' as const,
}
const whole = { maxChars: 50_000, isCut: false, prompted: false }

describe('the text of a page', () => {
  it('says what it is, then its markdown, between marks', () => {
    expect(pageText(page, whole, 'b0').split('\n').slice(1)).toEqual([
      '<web-content-b0>',
      'Pools',
      'https://docs.example/pools',
      'by Ann, published 2025-05-01',
      '',
      '# Pools',
      '',
      'Keep connections.',
      '</web-content-b0>',
    ])
  })

  it('says where it was cut, and how to read on', () => {
    expect(pageText(page, { ...whole, maxChars: 25, isCut: true })).toMatch(
      /Cut at 25 characters; the page goes on\. To read on, call again with a larger max_chars, or with a prompt/,
    )
    expect(pageText(page, { maxChars: 25, isCut: true, prompted: true })).not.toContain('or with a prompt')
  })

  it('says that it is what the page says to a prompt', () => {
    expect(pageText(page, { ...whole, prompted: true })).toMatch(/^What the page says to the prompt:\n/)
  })

  it('keeps the control characters of a page from a terminal', () => {
    expect(pageText({ ...page, content: 'a\u001b[31m\tb\nc' }, whole)).toContain('a [31m\tb\nc')
  })
})
