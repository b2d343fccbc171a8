import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const count = (html: string, text: string, lead = story) =>
  extractPage(`<main><article><h1>T</h1>${lead}${html}${story}</article></main>`, {
    url: 'https://a.example/x',
    contentType: 'text/html',
  }).markdown.split(text).length - 1
const story = `<p>${'The harbor of the town was rebuilt in three stages, each longer than planned. '.repeat(4)}</p>`
const long = 'timeout: how long to wait for it, in whole seconds'

describe('dropRepeated', () => {
  const parts = {
    'a list': `<ul><li>${long}</li></ul>`,
    'an ordered list': `<ol><li>${long}</li></ol>`,
    'a list of definitions': `<dl><dt>timeout</dt><dd>${long}</dd></dl>`,
    'a table': `<table><tr><th>Name<th>Meaning<tr><td>timeout<td>${long}</table>`,
    'a quotation': `<blockquote>${long}</blockquote>`,
    'a figure': `<figure><div>${long}</div><figcaption>Figure of it</figcaption></figure>`,
    'a box': `<div>${long}</div>`,
    'a list in a box': `<div class=parameters><ul><li>${long}</li></ul></div>`,
    'code in a box': `<div class=highlight><pre>${long}</pre></div>`,
  }

  it.each(Object.entries(parts))('keeps %s that repeats under other headings', (_name, part) => {
    expect(count(`<h3>get</h3>${part}<h3>put</h3>${part}<h3>remove</h3>${part}`, 'how long to wait')).toBe(3)
    const inBox = (name: string) => `<section><div><h4>${name}</h4></div>${part}</section>`
    expect(count(inBox('get') + inBox('put') + inBox('remove'), 'how long to wait')).toBe(3)
  })

  it.each(Object.entries(parts).filter(([name]) => name !== 'a box'))(
    'keeps %s that repeats with other text in between',
    (_name, part) => {
      expect(count(`${part}<p>Once more:</p>${part}`, 'how long to wait')).toBe(2)
    },
  )

  it('keeps a refrain between verses', () => {
    const verse = (word: string) => `<div>The ${word} went out upon the sea<br>and never looked behind it</div>`
    const refrain = '<div>Row, row, row your boat ashore<br>until the morning comes again</div>'
    expect(count(verse('men') + refrain + verse('ships') + refrain + verse('gulls') + refrain, 'Row, row')).toBe(3)
  })

  it('keeps a row of products that repeats under their names', () => {
    const product = (name: string) =>
      `<div class=card><h3>${name}</h3><div>Free delivery within three working days, and free returns</div></div>`
    expect(count(product('Kettle') + product('Toaster') + product('Mixer'), 'Free delivery')).toBe(3)
  })

  it('drops a copy that directly follows, and a heading with its copy', () => {
    expect(count(parts['a box'].repeat(2), 'how long to wait')).toBe(1)
    expect(
      count(`<div class=wide>${parts['a list']}</div><div class=narrow>${parts['a list']}</div>`, 'how long to wait'),
    ).toBe(1)
    const heading = '<h3>The longest heading that we have on this page</h3>'
    expect(count(`<div>${heading}</div>${heading}`, 'longest heading')).toBe(1)
  })
})
