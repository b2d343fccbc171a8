import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

const content = (html: string) => extractPage(html, { url: 'https://a.example/x', contentType: 'text/html' }).markdown

const paragraph = (word: string) =>
  `<p>${`The ${word} of it, as told by those who saw it, goes on for a while. `.repeat(4)}</p>`
const story = paragraph('first') + paragraph('second') + paragraph('third')

describe('chooseContent', () => {
  it.each([
    ['navigation', '<nav><a href=/>XX</a></nav>'],
    ['a page header', '<header><a href=/>XX</a></header>'],
    ['a page footer', '<footer>XX</footer>'],
    ['asides', '<aside>XX and some more words about it</aside>'],
    ['advertisements by class', '<div class="ad-slot">XX</div>'],
    ['cookie notices by id', '<div id=cookieConsent>XX we value your privacy</div>'],
    ['share buttons', '<ul class="social-share"><li>XX</ul>'],
    ['navigation by role', '<div role=navigation>XX</div>'],
    ['comments of an article', '<div class=comments><p>XX I do not agree at all with what this says.</div>'],
    ['what display:none hides', '<p style="color:red; DISPLAY : none">XX</p>'],
    ['what the hidden attribute hides', '<p hidden>XX</p>'],
    ['what aria-hidden hides', '<span aria-hidden=true>XX</span>'],
    ['what is off the screen', '<p style="position:absolute; left: -9999px">XX</p>'],
    ['what has no size', '<p style="font-size:0">XX</p><p style="height:0;overflow:hidden">XX</p>'],
    ['text for screen readers only', '<span class="sr-only">XX</span>'],
    ['scripts, styles and templates', '<script>XX</script><style>XX</style><template>XX</template>'],
    ['form controls', '<button>XX</button><select><option>XX</select>'],
    ['lists of links inside the article', '<ul><li><a href=/a>XX about something</a><li><a href=/b>XX else</a></ul>'],
  ])('leaves out %s', (_rule, html) => {
    for (const page of [
      `${html}<article><h1>T</h1>${story}</article>`,
      `<article><h1>T</h1>${story}${html}${story}</article>`,
    ]) {
      const markdown = content(page)
      expect(markdown).toContain('The third of it')
      expect(markdown).not.toContain('XX')
    }
  })

  it.each([
    '<article>',
    '<main>',
    '<div role=main>',
    '<div itemprop=articleBody>',
    '<div class=entry-content>',
    '<div>',
  ])('finds the prose in %s among other blocks', open => {
    const markdown = content(
      `<div class=x><a href=/1>one</a> <a href=/2>two</a></div>${open}${story}</div><div><p>XX</div>`,
    )
    expect(markdown).toContain('The first of it')
    expect(markdown).not.toContain('one')
  })

  it.each([
    [
      'a lead between the heading and the body',
      `<p class=lead>XX ${'a lead that says what the story is about. '.repeat(6)}</p>`,
    ],
    [
      'a question above its answers',
      `<div id=question><p>XX ${'how do I do this with that, please? '.repeat(8)}</p></div>`,
    ],
  ])('keeps %s', (_rule, html) => {
    const markdown = content(`<h1>T</h1><div>${html}<div id=rest><section>${story.repeat(4)}</section></div></div>`)
    expect(markdown).toMatch(/^XX/)
    expect(markdown).toContain('The third of it')
  })

  it('leaves out a caption or a byline between the heading and the body', () => {
    const markdown = content(
      `<h1>T</h1><div><figure><img src=a.png><figcaption>XX ${'a picture of it all. '.repeat(12)}</figcaption></figure>` +
        `<p>XX by somebody</p><div id=rest><section>${story.repeat(4)}</section></div></div>`,
    )
    expect(markdown).not.toContain('XX')
  })

  it('chooses the article with the heading among stories to read next', () => {
    const next = (n: number) => `<article><h2>Next ${n}</h2>${paragraph('next').repeat(2)}</article>`
    const markdown = content(
      `<article><h1>T</h1>${paragraph('own')}${paragraph('own2')}</article>${[1, 2, 3, 4].map(next).join('')}`,
    )
    expect(markdown).toContain('The own of it')
    expect(markdown).not.toContain('Next')
  })

  it('writes a caption once that is twice in a row', () => {
    const caption = '<div>A man rides on a donkey in a village opposite the settlement</div>'
    const markdown = content(`<article><h1>T</h1>${caption}${caption}${story}</article>`)
    expect(markdown.split('rides on a donkey')).toHaveLength(2)
  })

  it('keeps repeated paragraphs, but not hidden copies', () => {
    const [same] = [paragraph('same')]
    expect(content(`<article>${same}${same}</article>`).split('The same of it')).toHaveLength(9)
    const copy = `<div style="display:none">${story}</div>`
    expect(content(`<article>${story}</article>${copy}`).split('The third of it')).toHaveLength(5)
  })

  it('keeps text that repeats in different parts of a list', () => {
    const day = `<h2>Day</h2><p>Six ounces of chicken with a cup of rice and beans</p>${paragraph('first').repeat(4)}`
    expect(content(`<article><h1>T</h1>${day.repeat(3)}</article>`).split('ounces of chicken')).toHaveLength(4)
  })

  it('keeps parts that readers unfold, and parts that React sends after the page', () => {
    const panel = (attributes: string) => `<div ${attributes}><p>XX can be read after a click on it.</p></div>`
    expect(content(`<article><h1>T</h1>${story}${panel('class=accordion-body aria-hidden=true')}</article>`)).toContain(
      'XX',
    )
    expect(content(`<article><h1>T</h1>${story}${panel('hidden id=S:1f')}</article>`)).toContain('XX')
  })

  it('keeps an article whose class names a sidebar', () => {
    const posts = [1, 2, 3].map(n => `<article class="message sidebarLeft">${paragraph(`${n}th`)}</article>`)
    expect(content(`<main><h1>T</h1>${posts.join('')}</main>`)).toContain('The 2th of it')
    expect(content(`<main class=has-sidebar><h1>T</h1><div class="hide-ad">${story}</div></main>`)).toContain(
      'The third of it',
    )
  })

  it('drops the box around a heading such as "Related products" and what follows the box', () => {
    const related = '<div><h2>Related products</h2></div><div>XX for less</div>'
    expect(content(`<article><h1>T</h1>${story}${related}</article>`)).not.toMatch(/XX|Related/)
  })

  it('does not choose the text of a text area or of a hidden dialog', () => {
    const dialog = `<div role=dialog style="display:none"><textarea>${story}${story}</textarea>${'<p>XX republish this story, with our name on it and a link, please.</p>'.repeat(40)}</div>`
    const markdown = content(`<main><h1>T</h1><div>${story}</div>${dialog}</main>`)
    expect(markdown).toContain('The first of it')
    expect(markdown).not.toContain('XX')
  })

  it('drops what follows a heading such as "Related stories", up to the next heading of its level', () => {
    const related = '<h2>Related stories:</h2><div class=related><p>XX, said one of them, at some length.</p></div>'
    const markdown = content(`<article><h1>T</h1>${story}${related}<h2>Aftermath</h2>${paragraph('last')}</article>`)
    expect(markdown).not.toMatch(/XX|Related/)
    expect(markdown).toContain('## Aftermath\n\nThe last of it')
  })

  it('keeps prose under such a heading if it is a large part of the article', () => {
    const markdown = content(`<article><h1>T</h1>${story}<h2>Comments</h2>${paragraph('fourth')}${story}</article>`)
    expect(markdown).toContain('The fourth of it')
  })

  it('keeps links and spans in a sentence, whatever their class', () => {
    const text = content(
      `<article>${story}<p>Deep <a class="textTag" href=/s>space</a> and <span class=more>time</span>.</p></article>`,
    )
    expect(text).toContain('Deep [space](https://a.example/s) and time.')
  })

  it('keeps the short blocks of a page with little prose, unless they are links', () => {
    const cards = (card: string) => `<div class=grid>${`<div>${card}</div>`.repeat(30)}</div>`
    const page = (card: string) => content(`<main>${cards(card)}<div class=story>${story}</div></main>`)
    expect(page('<b>Trail shoe, 300 g</b> <i>Drop of 4 mm</i>')).toContain('Trail shoe')
    expect(page('<a href=/x>Trail shoe, 300 g, drop of 4 mm</a>')).not.toContain('Trail shoe')
  })

  it('leaves out the title, which has a field of its own', () => {
    expect(content(`<title>The tale</title><article><h1>The tale</h1>${story}</article>`)).not.toContain('# The tale')
  })

  it('keeps boxes whose removal would remove most of the text', () => {
    expect(content(`<div class=sidebar>${story}</div>`)).toContain('The second of it')
    expect(content(`<form>${story}<input></form>`)).toContain('The second of it')
    expect(content(`<aside>${story}</aside><p>x</p>`)).toContain('The second of it')
    expect(content(`<body style="display:none">${story}</body>`)).toContain('The second of it')
    expect(content(`<noscript>${story}</noscript><p>Please enable scripts.</p>`)).toContain('The second of it')
  })

  it('keeps code and tables of documentation', () => {
    const markdown = content(
      `<main>${story}<pre><code>npm i x</code></pre>${story}<table><tr><th>Option<th>Use<tr><td>a<td>b</table>${story}</main>`,
    )
    expect(markdown).toContain('```\nnpm i x\n```')
    expect(markdown).toContain('| Option | Use |')
  })

  it('keeps the posts of a forum, although their names say comments', () => {
    const post = (word: string) => `<div class=comment>${paragraph(word)}</div>`
    const head = '<script type="application/ld+json">{"@type":"QAPage"}</script>'
    const markdown = content(`${head}<main>${paragraph('question')}${post('answer')}${post('rebuttal')}</main>`)
    for (const word of ['question', 'answer', 'rebuttal']) expect(markdown).toContain(`The ${word} of it`)
  })

  it('keeps a short question above long answers, and code that is longer than both', () => {
    const post = (text: string) => `<div class=post>${text}</div>`
    const head = '<script type="application/ld+json">{"@type":"QAPage"}</script>'
    const answers = post(`<pre>${'line of a log\n'.repeat(800)}</pre>`) + post(paragraph('answer'))
    const markdown = content(`${head}<main>${post(paragraph('question'))}<div id=answers>${answers}</div></main>`)
    for (const text of ['The question of it', 'line of a log', 'The answer of it']) expect(markdown).toContain(text)
  })

  it('leaves out what a forum shows with every post of an author', () => {
    const post = (word: string) =>
      `<div class=message><div class="message-userExtras">Joined 2019</div><h4 class="message-userTitle">Old hand</h4>${paragraph(word)}<aside class="message-signature">Ever onward</aside></div>`
    const page = `<main>${post('question')}${post('answer')}</main>`
    const markdown = extractPage(page, { url: 'https://a.example/threads/why.5/', contentType: 'text/html' }).markdown
    expect(markdown).toContain('The answer of it')
    expect(markdown).not.toMatch(/Joined|Old hand|Ever onward/)
  })

  it('leaves out notices to all readers of a forum, and vote counts', () => {
    const post = `<div class=post><div class="vote-count">67</div>${story}<p class="message-lastEdit">XX edited</div>`
    const notice = `<div class="notices"><p>${'XX Members should never send money to strangers. '.repeat(12)}</p></div>`
    const html = `<meta name=generator content=XenForo>${notice}<h1>T</h1>${post.repeat(3)}`
    const markdown = content(html)
    expect(markdown).toContain('The third of it')
    expect(markdown).not.toMatch(/XX|67/)
    expect(content(html.replace('XenForo', 'other'))).toContain('XX')
  })

  it('leaves out other posts below a blog post', () => {
    const other = `<div class=post__text><p>XX ${'the start of another one that may be read as well. '.repeat(3)}</p></div>`
    const html = `<article><h1>T</h1>${story.repeat(2)}<div class="posts-container">${other.repeat(2)}</div></article>`
    const dated = '<meta property="article:published_time" content="2020-05-31">'
    expect(content(dated + html)).not.toContain('XX')
  })

  it('leaves out what a Bootstrap class hides on all screens', () => {
    const markdown = content(`<article>${story}<p class="d-none">XX</p><p class="d-none d-md-block">YY</p></article>`)
    expect(markdown).toContain('YY')
    expect(markdown).not.toContain('XX')
  })

  it('leaves out a form to fill in, whatever its length, and keeps one around a whole page', () => {
    const field = (word: string) =>
      `<p><label>XX ${word} ${'of the company that you work for '.repeat(6)}</label><input name=${word}></p>`
    const form = (inside: string) => `<form>${['Name', 'Number', 'Industry'].map(field).join('')}${inside}</form>`
    const asked = content(`<article><h1>T</h1>${story.repeat(2)}${form('')}</article>`)
    expect(asked).toContain('The third of it')
    expect(asked).not.toContain('XX')
    expect(content(form(`<article><h1>T</h1>${story.repeat(3)}</article>`))).toContain('The third of it')
  })

  it('leaves out the rating of a product', () => {
    const product = '<script type="application/ld+json">{"@type":"Product","name":"Lamp"}</script>'
    const markdown = content(`${product}<main><h1>Lamp</h1><div class=star-rating>XX 4.8 of 5</div>${story}</main>`)
    expect(markdown).toContain('The third of it')
    expect(markdown).not.toContain('XX')
  })

  it('chooses the main part of a page of short blocks, not the prose of its footer', () => {
    const shows = Array.from({ length: 12 }, (_, i) => `<li><a href=/${i}>Exhibition number ${i}</a> in room ${i}</li>`)
    const footer = `<div class=site-info>${paragraph('mission')}</div>`
    const markdown = content(`<main><h1>Now on view</h1><ul>${shows.join('')}</ul></main>${footer}`)
    expect(markdown).toContain('Exhibition number 11')
    expect(markdown).not.toContain('mission')
  })

  it('keeps links with prices among the prose of a shop, and drops other links', () => {
    const thing = (price: string) => `<li><a href=/lamp>Storm lamp of brushed steel</a> ${price}</li>`
    const offers = '<script type="application/ld+json">{"@type":"OfferCatalog"}</script>'
    const page = (price: string) => content(`${offers}<main>${story}<ul>${thing(price).repeat(3)}</ul>${story}</main>`)
    expect(page('$4.50')).toContain('Storm lamp')
    expect(page('')).not.toContain('Storm lamp')
  })

  it('leaves out related items of a listing', () => {
    const item = (name: string) => `<li><b>${name}</b> <span>$4</span></li>`
    const list = (name: string) => `<ul>${item(`${name} one`)}${item(`${name} two`)}${item(`${name} three`)}</ul>`
    const markdown = content(`<main><h1>Lamps</h1>${list('Lamp')}<h2>Recently viewed</h2>${list('Chair')}</main>`)
    expect(markdown).toContain('Lamp three')
    expect(markdown).not.toContain('Chair')
  })

  it('keeps answers that readers unfold, however they are hidden', () => {
    const hidden = ['style="display:none"', 'hidden', 'aria-hidden=true']
    const answers = hidden.map((how, i) => `<h3>Why ${i}?</h3><div class="faq-answer" ${how}>Because ${i}.</div>`)
    const markdown = content(`<article><h1>T</h1>${story}${answers.join('')}<p style="display:none">XX</p></article>`)
    for (const [i] of hidden.entries()) expect(markdown).toContain(`Because ${i}.`)
    expect(markdown).not.toContain('XX')
  })

  it('keeps a button that is a word of a sentence', () => {
    const markdown = content(
      `<article><h1>T</h1>${story}<p>Click <button>Save</button> to keep it. <button>Buy</button></p></article>`,
    )
    expect(markdown).toContain('Click Save to keep it.')
    expect(markdown).not.toContain('Buy')
  })

  it('leaves out the marks that link to headings and terms, and the links that edit a part', () => {
    const mark = (text: string) => `<a class=x href="#a">${text}</a>`
    const edit = '<span class="mw-editsection">[<a href="/w?action=edit">edit</a>]</span>'
    const markdown = content(
      `<article><h1>T</h1>${story}<h2>Head ${mark('¶')}</h2><div><h2>Other ${mark('#')}</h2>${edit}</div><dl><dt>Term${mark('¶')}<dd>Says</dl><p>See ${mark('#')}1 and ${mark('note')}.</p></article>`,
    )
    expect(markdown).toContain('## Head\n\n## Other\n\nTerm\n\nSays\n\nSee #1 and note.')
  })

  it('keeps an aside that quotes another post', () => {
    const quote = '<aside class="quote"><div>bob:</div><blockquote><p>Try a longer chain.</p></blockquote></aside>'
    expect(content(`<div class="post"><h1>T</h1>${story}${quote}<p>That worked.</p></div>`)).toContain(
      '> Try a longer chain.',
    )
  })

  it('keeps headings that are buttons to unfold a part', () => {
    const markdown = content(
      `<article><h1>T</h1>${story}<h3><button>Does it fit?</button></h3><p>Yes.</p><button>Buy</button></article>`,
    )
    expect(markdown).toContain('### Does it fit?')
    expect(markdown).not.toContain('Buy')
  })

  it('keeps the comments of a page that consists of comments', () => {
    const comment = (word: string) =>
      `<li class=comment><p>${`I tried the ${word} one and it worked for me. `.repeat(5)}</p></li>`
    const comments = `<ol class=comments>${['first', 'second', 'third'].map(comment).join('')}</ol>`
    const markdown = content(`<main><h1>T</h1><p>A link to a tool.</p>${comments}</main>`)
    expect(markdown).toContain('the third one')
    expect(content(`<main><h1>T</h1><article>${story}</article>${comments}</main>`)).not.toContain('the third one')
  })

  it('keeps all posts of a thread if only the first one has the heading', () => {
    const post = (word: string) => `<article class=entry>${paragraph(word).repeat(2)}</article>`
    const replies = ['second', 'third', 'fourth', 'fifth'].map(post).join('')
    const page = `<main><article class=entry><h1>T</h1>${paragraph('first').repeat(2)}</article>${replies}</main>`
    const markdown = extractPage(page, { url: 'https://a.example/threads/why.5/', contentType: 'text/html' }).markdown
    expect(markdown).toContain('The fifth of it')
  })

  it('keeps boxes named as menus that have most of the prose together', () => {
    const part = (n: number) => `<div class="nav-section part-${n}"><h2>Part ${n}</h2>${paragraph(`${n}th`)}</div>`
    const markdown = content(`<main><h1>T</h1>${[1, 2, 3, 4].map(part).join('')}</main>`)
    for (const n of [1, 2, 3, 4]) expect(markdown).toContain(`The ${n}th of it`)
    const beside = content(`<main><h1>T</h1>${story.repeat(4)}${[1, 2, 3].map(part).join('')}</main>`)
    expect(beside).not.toContain('The 2th of it')
  })

  it('keeps hidden tab panels', () => {
    const tab = '<div role=tabpanel hidden><p>XX can be read after a click on its tab.</p></div>'
    expect(content(`<article><h1>T</h1>${story}${tab}</article>`)).toContain('XX')
  })

  it('keeps boxes with ambiguous names on pages without author and date', () => {
    const page = (head: string) =>
      content(`${head}<main><h1>T</h1>${story}<div class=latest-item><b>120</b> engineers</div>${story}</main>`)
    expect(page('')).toContain('engineers')
    expect(page('<meta name=author content="Ada Byron">')).not.toContain('engineers')
  })

  it('keeps all repeated siblings of a listing', () => {
    const items = Array.from(
      { length: 30 },
      (_, i) => `<li><h3><a href=/${i}>Item ${i}</a></h3><span>$${i}.50</span></li>`,
    )
    const markdown = content(`<nav>Home</nav><main><h1>Shop</h1><ul>${items.join('')}</ul></main>`)
    for (let i = 0; i < 30; i++) expect(markdown).toContain(`$${i}.50`)
    expect(markdown).not.toContain('Home')
  })

  it('keeps the short blocks of a home page', () => {
    const markdown = content(
      '<div><h1>We build</h1><p>Fast.</p></div><div><h2>Prices</h2><p>From $4.</p></div><div><p>Call us.</p></div>',
    )
    for (const text of ['We build', 'Fast.', 'Prices', 'From $4.', 'Call us.']) expect(markdown).toContain(text)
  })

  it('uses the article text of structured data if the page has no text', () => {
    const body = 'Told only in the data, sentence by sentence. '.repeat(20)
    const data = JSON.stringify({ '@type': 'Article', articleBody: body })
    expect(content(`<script type="application/ld+json">${data}</script><div id=app>Loading</div>`)).toContain(
      'Told only in the data',
    )
  })

  it('is never empty if the page has visible text', () => {
    const tag = fc.constantFrom(
      'div',
      'p',
      'nav',
      'aside',
      'footer',
      'ul',
      'li',
      'button',
      'form',
      'table',
      'td',
      'a',
      'h1',
      'noscript',
    )
    const className = fc.constantFrom(
      '',
      ' class=ad',
      ' class=comments',
      ' class="sidebar menu"',
      ' hidden',
      ' role=dialog',
    )
    const part = fc.oneof(
      fc.constantFrom('word ', 'two words ', '字'),
      fc.tuple(tag, className).map(([name, classes]) => `<${name}${classes}>`),
      tag.map(name => `</${name}>`),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), parts => {
        const html = parts.join('')
        if (/word|字/.test(html)) expect(content(html)).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })
})
