import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const page = (html: string) =>
  extractPage(html, { url: 'https://a.example/x', contentType: 'text/html', explain: true })
const dropped = (html: string) => page(html).explanation?.dropped.map(({ rule, words, text }) => [rule, words, text])
const prose = (word: string) =>
  `<p>${`The ${word} of it, as those say who saw it, was long in the making. `.repeat(4)}</p>`
const story = prose('first') + prose('second') + prose('third')

describe('the explanation of the content', () => {
  it('is absent unless it is asked for, and for other formats', () => {
    expect(extractPage(story, { url: 'https://a.example/' }).explanation).toBeUndefined()
    expect(
      extractPage('# T', { url: 'https://a.example/', contentType: 'text/markdown', explain: true }).explanation,
    ).toBeUndefined()
  })

  it.each([
    ['hidden parts', '<p hidden>one two</p>', 'one two'],
    ['controls', '<button>one two</button>', 'one two'],
    ['navigation', '<nav><a href=/>one</a> two</nav>', 'one two'],
    ['names of navigation', '<div class=sponsored>one two</div>', 'one two'],
    ['comments', `<div class=comments>${'<p>one two and more of what we say about this'}</div>`, undefined],
    ['lists of links', '<ul><li><a href=/a>one</a><li><a href=/b>two</a></ul>', 'one two'],
    ['headings of asides', '<h2>Related</h2><p>one two</p><h2>Then</h2>', 'Related one two'],
    ['repeated title', '', 'Title'],
  ])('names the rule "%s" with the words that it took', (rule, html, text) => {
    const found = dropped(`<title>Title</title><article><h1>Title</h1>${story}${html}${story}</article>`)
    const own = found?.find(([name]) => name === rule)
    expect(own).toBeDefined()
    if (text !== undefined) expect(own?.slice(1)).toEqual([text.split(' ').length, text])
  })

  it('counts the words that stay, also in captions, and what is beside the article', () => {
    const { explanation } = page(
      `<div>one two three</div><article><h1>T</h1><figure><img src=a.png><figcaption>Four words are here</figcaption></figure>${story}</article>`,
    )
    expect(explanation?.dropped).toContainEqual({ rule: 'beside the content', words: 3, text: 'one two three' })
    expect(explanation?.words).toBe(story.match(/\w+(?=[ ,.])/g)!.length + 4)
  })

  it('counts a word that elements divide once, and each ideograph', () => {
    expect(page('<p>f<b>oo</b> bar</p><p>東京</p>').explanation?.words).toBe(4)
  })
})

describe('rules that leave no text', () => {
  const links = (count: number) => '<a href=/a>A long name of a page</a> '.repeat(count)

  it.each([
    ['a page that is all navigation', `<nav>${links(1)}</nav><footer>Tel. 12345, day and night</footer>`, 'Tel. 12345'],
    [
      'a page of pictures and navigation',
      `<nav>${links(3)}</nav><img src=a.png alt="A lake"><nav>${links(3)}</nav>`,
      'A long name',
    ],
    [
      'a page of boxes named like navigation',
      '<div class=share>Call us</div><div class=sponsored>Call me</div><div class=menu>Call it</div>',
      'Call us',
    ],
    ['a page with hardly more than a label', `<p>Menu</p>${`<nav>${links(30)}</nav>`.repeat(2)}`, 'A long name'],
  ])('are undone on %s', (_page, html, text) => {
    const { markdown, explanation } = page(html)
    expect(markdown).toContain(text)
    expect(explanation?.undone).not.toEqual([])
  })

  it('are undone in order of doubt, so navigation stays out if names are enough', () => {
    const boxes =
      '<div class=share>Call us today</div><div class=sponsored>Write to us</div><div class=menu>Our hours</div>'
    const { markdown, explanation } = page(`<nav>Home and so on</nav>${boxes}`)
    expect(markdown).toBe('Call us today\n\nWrite to us\n\nOur hours')
    expect(explanation).toMatchObject({ undone: ['names of navigation'], dropped: [{ rule: 'navigation', words: 4 }] })
  })

  it('show hidden text only on a page that has nothing else', () => {
    expect(page('<p hidden>one</p>').markdown).toBe('one')
    expect(page('<p hidden>one</p><nav>two</nav>').markdown).toBe('two')
    expect(page('<p hidden>one</p><img src=a.png>').markdown).not.toContain('one')
    expect(page('<script>one</script>').explanation).toEqual({ words: 0, dropped: [], undone: [] })
  })

  it('stay applied if a short page keeps its text', () => {
    const { markdown, explanation } = page(`<nav>${links(5)}</nav><p>Closed on Mondays.</p><nav>${links(5)}</nav>`)
    expect([markdown, explanation?.undone]).toEqual(['Closed on Mondays.', []])
  })
})
