import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const story = `<p>${'The harbor of the town was rebuilt in three stages, each longer than planned. '.repeat(3)}</p>`
const content = (html: string) =>
  extractPage(`<main><article><h1>T</h1>${story}${html}${story}</article></main>`, {
    url: 'https://a.example/x',
    contentType: 'text/html',
  }).markdown

describe('what screen readers skip', () => {
  it.each([
    ['a minus', '<p>At <span aria-hidden=true>−</span><span class=sr-only>minus</span>7 degrees</p>', 'At −7 degrees'],
    ['a number', '<p>about <span aria-hidden=true>15</span> boats</p>', 'about 15 boats'],
    [
      'a mark',
      '<table><tr><th>a<th>b<tr><td>x<td><span aria-hidden=true>✓</span><span class=sr-only>yes</span></table>',
      '| x | ✓ |',
    ],
    ['stars', '<p>rated <span aria-hidden=true>★★★★☆</span></p>', 'rated ★★★★☆'],
  ])('is kept if it is %s', (_what, html, text) => {
    expect(content(html)).toContain(text)
  })
  it('is dropped if it has words, or only separates', () => {
    expect(content('<p>Home<span aria-hidden=true> · </span> <i aria-hidden=true>arrow_forward</i></p>')).not.toMatch(
      /·|arrow/,
    )
  })
  it('is dropped from code if it is a line number or a prompt, but not if it is a change', () => {
    const lines = ['12', '$ ', '+', '- '].map(mark => `<span aria-hidden=true>${mark}</span>code`)
    expect(content(`<pre>${lines.join('\n')}</pre>`)).toContain('```\ncode\ncode\n+code\n- code\n```')
  })
})

it('the bar of a fraction that only screen readers see is kept', () => {
  const half = '<span>1</span><span class=sr-only>/</span><span>2</span>'
  expect(content(`<p>It is <span>5<span class=sr-only>+</span>${half}</span> long.</p>`)).toContain('It is 5+1/2 long.')
})

it('an inline element that its style makes a block is not glued to the next one', () => {
  expect(content('<p><span style="display:block">7</span><span style="display: block">8</span></p>')).toMatch(/7\n+8/)
})
