import { describe, expect, it } from 'vitest'
import { extractPage, htmlToMarkdown } from '../../extract/index.ts'

describe('htmlToMarkdown', () => {
  it('writes all that a reader sees, also what extraction drops as navigation', () => {
    const html = `<nav><a href="/a">Start</a> <a href="/b">Contact</a></nav>
      <article><h1>Lamps</h1><p>${'The keeper lights the lamp at dusk, and puts it out at dawn. '.repeat(8)}</p></article>`
    const url = 'https://a.example/'
    expect(htmlToMarkdown(html, { url })).toContain('[Contact](https://a.example/b)')
    expect(extractPage(html, { url }).markdown).not.toContain('Contact')
  })

  it('leaves out what no reader sees', () => {
    expect(htmlToMarkdown('<style>p {}</style><p hidden>secret</p><script>1</script><p>a <b>b</b> <i>c</i></p>')).toBe(
      'a **b** *c*',
    )
  })

  it('resolves relative links by url, and makes them text without it', () => {
    expect(htmlToMarkdown('<a href="b">x</a>', { url: 'https://a.example/c/' })).toBe('[x](https://a.example/c/b)')
    expect(htmlToMarkdown('<a href="b">x</a>')).toBe('x')
  })

  it('returns an empty string for HTML without text', () => {
    expect(htmlToMarkdown('<div><br></div>')).toBe('')
  })

  it.each([
    ['html', [new Uint8Array()]],
    ['url', ['<p>a', { url: '/relative' }]],
    ['url', ['<p>a', { url: 7 }]],
    ['base', ['<p>a', { base: 'https://a.example/' }]],
  ])('rejects a wrong %s by its name', (field, call) => {
    expect(() => htmlToMarkdown(...(call as [string]))).toThrow(
      expect.objectContaining({ code: 'ASOF_INVALID_OPTION', details: expect.objectContaining({ field }) }),
    )
  })
})
