import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/extract-page.ts'

function date(html: string, url = 'https://a.example/x', latestAt?: number) {
  const page = extractPage(html, { url, contentType: 'text/html', latestAt })
  return page.publishedAt === undefined
    ? undefined
    : [page.publishedAt, page.publishedFrom?.source, page.publishedFrom?.precision]
}

const jsonLd = (value: unknown) => `<script type="application/ld+json">${JSON.stringify(value)}</script>`
const article = (datePublished: unknown) => jsonLd({ '@type': 'NewsArticle', datePublished })

describe('findPublishDate', () => {
  it.each([
    [
      'JSON-LD of the article',
      article('2020-05-31T10:00:00+02:00'),
      ['2020-05-31T10:00:00+02:00', 'json-ld', 'second'],
    ],
    [
      'the article in a @graph rather than the page',
      jsonLd({
        '@graph': [
          { '@type': 'WebPage', datePublished: '2001-01-01' },
          { '@type': 'Article', datePublished: '2020-05-31' },
        ],
      }),
      ['2020-05-31', 'json-ld', 'day'],
    ],
    [
      'meta names and properties',
      '<meta property="article:published_time" content="2020-05-31T10:00Z">',
      ['2020-05-31T10:00:00Z', 'meta', 'minute'],
    ],
    ['citation dates', '<meta name=citation_publication_date content="2020/05/31">', ['2020-05-31', 'meta', 'day']],
    [
      'microdata',
      '<span itemprop=datePublished content="2020-05-31">yesterday</span>',
      ['2020-05-31', 'microdata', 'day'],
    ],
    [
      'time elements near the heading',
      '<h1>T</h1><time datetime="2020-05-31">x</time><p>a<time datetime="1999-01-01">',
      ['2020-05-31', 'time-element', 'day'],
    ],
    ['a byline', '<h1>T</h1><p class=post-date>Posted on May 31st, 2020', ['2020-05-31', 'text', 'day']],
    [
      'plain text near the heading',
      '<h1>T</h1><p>31. Mai 2020, 10:30 Uhr</p>',
      ['2020-05-31T10:30:00', 'text', 'minute'],
    ],
  ])('reads %s', (_rule, html, expected) => {
    expect(date(html)).toEqual(expected)
  })

  it('prefers an earlier date in the text if the declared one is the day of the last change', () => {
    const stamped = (day: string) => jsonLd({ '@type': 'Article', datePublished: day, dateModified: '2025-11-29' })
    const page = (shown: string, day = '2025-11-29') => date(`${stamped(day)}<h1>T</h1>${shown}`)
    expect(page('<p>13 August 2025</p>')).toEqual(['2025-08-13', 'text', 'day'])
    const published = (day: string) => `${'<p>x</p>'.repeat(90)}<p>Published <time datetime="${day}">x</time></p>`
    expect(page(published('2025-08-13'))).toEqual(['2025-08-13', 'text', 'day'])
    expect(page(published('2025-08-13') + published('2025-08-15'))?.[0]).toBe('2025-11-29')
    expect(page('<p>13 December 2025</p>')?.[0]).toBe('2025-11-29')
    expect(page('<p>Updated 13 August 2025</p>')?.[0]).toBe('2025-11-29')
    expect(page('<p>13 August 2025</p>', '2025-10-01')?.[0]).toBe('2025-10-01')
  })

  it('chooses the reading of an ambiguous numeric date by the rest of the page', () => {
    const numeric = '<meta property="article:published_time" content="03-09-2026">'
    expect(date(`${numeric}<h1>T</h1><p>Published March 9, 2026`)?.[0]).toBe('2026-03-09')
    expect(date(numeric, 'https://a.example/2026/03/x')?.[0]).toBe('2026-03-09')
    expect(date(numeric, 'https://a.example/x', Date.UTC(2026, 3, 1))?.[0]).toBe('2026-03-09')
    expect(date(numeric)?.[0]).toBe('2026-09-03')
  })

  it('reads any meta element whose name says published, the earliest of several', () => {
    const meta = (name: string, day: string) => `<meta name="${name}" content="${day}">`
    expect(date(meta('acme:first_published_on', '2020-05-31'))).toEqual(['2020-05-31', 'meta', 'day'])
    expect(date(meta('publicationdate', '2021-01-01') + meta('published-date', '2020-05-31'))?.[0]).toBe('2020-05-31')
    expect(date(meta('last-published', '2020-05-31') + meta('unpublish_date', '2020-05-31'))).toBeUndefined()
  })

  it('reads an aside or footer below the heading that may be the byline', () => {
    expect(date('<h1>T</h1><aside>By <a href=/ann>Ann</a> <time datetime="2020-05-31">x</time></aside>')?.[0]).toBe(
      '2020-05-31',
    )
  })

  it('prefers the date near the heading to one in a box called date elsewhere', () => {
    const ticker = '<p class=news-date>1 June 2021</p>'
    expect(date(`${ticker}<h1>T</h1><p>31 May 2020</p><div>${'<p>x'.repeat(60)}</div>${ticker}`)?.[0]).toBe(
      '2020-05-31',
    )
  })

  it('reads the only marked date of a sidebar, not that of another story in it', () => {
    const page = (inside: string) => `<h1>T</h1>${'<p>x</p>'.repeat(50)}<aside>${inside}</aside>`
    expect(date(page('<time datetime="2020-05-31">x</time>'))).toEqual(['2020-05-31', 'text', 'day'])
    expect(date(page('<h3>Other story</h3><time datetime="2020-05-31">x</time>'))).toBeUndefined()
    expect(date(page('Last updated <time datetime="2020-05-31">x</time>'))).toBeUndefined()
  })

  it('reads the day or month in the URL', () => {
    expect(date('<p>x', 'https://a.example/2020/05/31/x')).toEqual(['2020-05-31', 'url', 'day'])
    expect(date('<p>x', 'https://a.example/blog/2020/05/x')).toEqual(['2020-05-01', 'url', 'month'])
  })

  it.each([
    ['the URL', article('2023-11-09T03:28:35Z'), 'https://a.example/2023/11/08/x', ['2023-11-08', 'url', 'day']],
    [
      'the line of the date',
      `${article('2022-01-31T23:00:00+00:00')}<h1>T</h1><p>1 February 2022</p>`,
      undefined,
      ['2022-02-01', 'text', 'day'],
    ],
  ])("keeps the day of the publisher's own clock that %s shows beside a time in UTC", (_rule, html, url, expected) => {
    expect(date(html, url)).toEqual(expected)
  })

  it('keeps a time in UTC if no time zone explains another day', () => {
    const html = `${article('2022-01-31T08:00:00Z')}<h1>T</h1><p>1 February 2022</p>`
    expect(date(html)?.[0]).toBe('2022-01-31T08:00:00Z')
  })

  it.each([
    ['de', '2022-01-31T23:30:00Z', '2022-02-01T00:30:00+01:00'],
    ['uk', '2022-01-31T23:30:00Z', '2022-01-31T23:30:00Z'],
    ['jp', '2022-01-31T23:30:00+00:00', '2022-02-01T08:30:00+09:00'],
    // A country whose time zones have different days, a domain for all countries, and no country.
    ['us', '2022-02-01T07:00:00Z', '2022-02-01T07:00:00Z'],
    ['co', '2022-02-01T02:00:00Z', '2022-02-01T02:00:00Z'],
    ['com', '2022-01-31T23:30:00Z', '2022-01-31T23:30:00Z'],
  ])('converts a time in UTC to the local time of the country of .%s', (domain, time, expected) => {
    expect(date(article(time), `https://a.example.${domain}/x`)?.[0]).toBe(expected)
  })

  it('keeps the day in UTC if the page shows it, unless the local time is midnight', () => {
    const at = (time: string) => date(`${article(time)}<h1>T</h1><p>31 January 2022`, 'https://a.example.de/x')?.[0]
    expect(at('2022-01-31T23:30:00Z')).toBe('2022-01-31T23:30:00Z')
    expect(at('2022-01-31T23:00:00Z')).toBe('2022-02-01T00:00:00+01:00')
  })

  it('reads midnight in UTC as a day, in every country', () => {
    expect(date(article('2022-01-31T00:00:00Z'), 'https://a.example.ca/x')?.[0]).toBe('2022-01-31T00:00:00Z')
  })

  it('keeps a time with an offset, whatever the URL says', () => {
    const html = article('2022-01-31T23:30:00+01:00')
    expect(date(html, 'https://a.example/2022/02/01/x')?.[0]).toBe('2022-01-31T23:30:00+01:00')
  })

  it('reads the date in boilerplate only if all dates there are on one day', () => {
    const aside = (...days: string[]) =>
      `<h1>T</h1>${'<p>x</p>'.repeat(50)}<aside>${days.map(day => `<p class=date>${day}</p>`).join('')}</aside>`
    expect(date(aside('May 31, 2020'))?.[0]).toBe('2020-05-31')
    expect(date(aside('May 31, 2020', 'June 1, 2020'))).toBeUndefined()
  })

  it('reads the upload date of a video on a page about nothing else', () => {
    expect(date(jsonLd({ '@type': 'VideoObject', uploadDate: '2020-05-31' }))?.[0]).toBe('2020-05-31')
  })

  it('prefers a day from a later source to a month in the URL', () => {
    expect(date('<h1>T</h1><p>31 May 2020', 'https://a.example/2020/05/x')?.[0]).toBe('2020-05-31')
  })

  it('prefers JSON-LD to meta, meta to microdata, microdata to the URL', () => {
    const meta = '<meta property="article:published_time" content="2011-01-01">'
    const microdata = '<i itemprop=datePublished content="2012-01-01">'
    const url = 'https://a.example/2013/01/01/x'
    expect(date(article('2010-01-01') + meta + microdata, url)?.[0]).toBe('2010-01-01')
    expect(date(meta + microdata, url)?.[0]).toBe('2011-01-01')
    expect(date(microdata, url)?.[0]).toBe('2012-01-01')
  })

  it('prefers a date in the text to a vague meta name, and that to the URL', () => {
    const meta = '<meta name=date content="2011-01-01">'
    expect(date(`${meta}<h1>T</h1><time datetime="2012-01-01">x</time>`)?.[0]).toBe('2012-01-01')
    expect(date(meta, 'https://a.example/2013/01/01/x')?.[0]).toBe('2011-01-01')
  })

  it('prefers the day near the heading to a vague meta name', () => {
    const page = (line: string) => `<meta name=date content="2011-01-01"><h1>T</h1><p>${line}</p>`
    expect(date(page('31 May 2020'))?.[0]).toBe('2020-05-31')
    expect(date(page('Last updated: 31 May 2020'))?.[0]).toBe('2011-01-01')
  })

  it('reads the date before that of a change, or after it if it is called published', () => {
    expect(date('<h1>T</h1><p class=date>31 May 2020 / Updated 3 June 2020')?.[0]).toBe('2020-05-31')
    expect(date('<h1>T</h1><p class=date>Updated 3 June 2020, posted 31 May 2020')?.[0]).toBe('2020-05-31')
    expect(date('<h1>T</h1><p class=date>Evening edition, 31 May 2020')?.[0]).toBe('2020-05-31')
  })

  it('reads the date of a question, not that of a comment before it', () => {
    const comment =
      '<i itemscope itemtype="https://schema.org/Comment"><time itemprop=datePublished datetime="2021-01-01"></i>'
    const question = '<i itemprop=dateCreated content="2020-05-31"></i>'
    expect(date(`<div itemscope itemtype="https://schema.org/Question">${comment}${question}`)?.[0]).toBe('2020-05-31')
  })

  it('reads the byline in a box called comment that contains the main heading', () => {
    expect(date('<div class=comment><h1>T</h1><p class=date>31 May 2020')?.[0]).toBe('2020-05-31')
  })

  it.each([
    ['a meta element with a value', '<meta name="article:published_time" value="2020-05-31">', 'meta'],
    ['the start of the first paragraph', `<h1>T</h1><p>Berlin, 31. Mai 2020 – ${'So it was said. '.repeat(9)}`, 'text'],
    ['brackets before the first sentence', `<h1>T</h1><p>(31. Mai 2020) ${'So it was said. '.repeat(9)}`, 'text'],
    [
      'a label in an element of its own',
      '<h1>T</h1><div class=sidebar><h4>Published</h4><p>May 31, 2020</p></div>',
      'text',
    ],
    ['the JSON in a script', '<p>x<script>var s = {"publishedDate":"2020-05-31"}</script>', 'text'],
    ['the URL of the image', '<meta property=og:image content="https://a.example/2020/05/31/a.jpg">', 'url'],
  ])('reads %s', (_rule, html, source) => {
    expect(date(html)?.[0]).toBe('2020-05-31')
    expect(date(html)?.[1]).toBe(source)
  })

  it('prefers a date that is alone to one in a sentence nearer to the heading', () => {
    const sentence = `<p>The law of <b>3 March 2019</b> ${'is discussed here. '.repeat(9)}</p>`
    expect(date(`<h1>T</h1>${sentence}<p>31 May 2020</p>`)?.[0]).toBe('2020-05-31')
    expect(date(`<h1>T</h1>${sentence}<p>Last updated:</p><p>31 May 2020</p>`)?.[0]).not.toBe('2020-05-31')
  })

  it.each([
    [
      'modified dates',
      '<meta property="article:modified_time" content="2020-05-31"><i itemprop=dateModified content="2020-05-31">',
    ],
    ['a time element that says updated', '<h1>T</h1>Updated <time datetime="2020-05-31">x</time>'],
    ['the label "Updated" next to an element with a date', '<h1>T</h1><p>Updated <b>31 May 2020</b></p>'],
    [
      'boxes whose name is about a change',
      '<h1>T</h1><div class=field--name-changed><time datetime="2020-05-31">x</time></div>',
    ],
    ['dates in quotations', '<h1>T</h1><blockquote>A post<time datetime="2020-05-31">x</time></blockquote>'],
    ['the day in the masthead', '<div role=banner><p class=date>31 May 2020</p></div><h1>T</h1>'],
    ['copyright years in a footer', '<h1>T</h1><p>text</p><footer>© 1 January 2020 Example</footer>'],
    ['dates of comments', '<h1>T</h1><div class=comments><time datetime="2020-05-31">x</time></div>'],
    [
      'dates of related stories',
      `<h1>T</h1><aside><a href=/y>Another story with a long title to read next <time datetime="2020-05-31">x</time></a></aside>`,
    ],
    ['the time of the last post', '<h1>T</h1><p>Last post: 31 May 2020</p>'],
    ['such a label in another language', '<h1>T</h1><p>Aggiornato il 31 maggio 2020</p><p>更新日：2020年5月31日</p>'],
    ['impossible dates', article('2020-02-30')],
    ['absurd dates', article('0001-01-01T00:00:00Z') + article('1970-01-01') + article('9999-12-31')],
  ])('ignores %s', (_rule, html) => {
    expect(date(html)).toBeUndefined()
  })

  it('ignores a date after the latest possible one, and continues with other sources', () => {
    const latestAt = Date.UTC(2020, 5, 1)
    const html = `${article('2020-07-01')}<meta name=date content="2020-05-31">`
    expect(date(html, undefined, latestAt)?.[0]).toBe('2020-05-31')
    expect(date(html)?.[0]).toBe('2020-07-01')
  })

  it("reads day and month in the order of the page's language", () => {
    const at = (lang: string, url: string) => date(`<html lang=${lang}><h1>T</h1><p class=date>03/04/2020`, url)?.[0]
    expect(at('en', 'https://a.com/')).toBe('2020-03-04')
    expect(at('en-GB', 'https://a.com/')).toBe('2020-04-03')
    expect(at('fr', 'https://a.com/')).toBe('2020-04-03')
  })

  it.each([
    ['a month', '<meta name=citation_publication_date content="2023/09">', ['2023-09-01', 'meta', 'month']],
    ['a year', '<meta name=citation_publication_date content=2023>', ['2023-01-01', 'meta', 'year']],
    ['a year alone', '<meta name=citation_year content=2023>', ['2023-01-01', 'meta', 'year']],
    ['a month in DC.date', '<meta name=DC.date content="2023-09">', ['2023-09-01', 'meta', 'month']],
    ['a month in PRISM', '<meta name=prism.publicationDate content="2023-09">', ['2023-09-01', 'meta', 'month']],
    ['a month by name', '<meta name=citation_date content="September 2023">', ['2023-09-01', 'meta', 'month']],
    ['a month before its year', '<meta name=citation_date content="09/2023">', ['2023-09-01', 'meta', 'month']],
    ['a month in JSON-LD', article('2023-09'), ['2023-09-01', 'json-ld', 'month']],
    ['a year in JSON-LD', article(2023), ['2023-01-01', 'json-ld', 'year']],
    [
      'a month of any published name',
      '<meta name=publication_date content="2023-09">',
      ['2023-09-01', 'meta', 'month'],
    ],
    [
      'the day that another element adds',
      '<meta name=citation_publication_date content="2023/09"><meta name=citation_online_date content="2023/09/05">',
      ['2023-09-05', 'meta', 'day'],
    ],
    [
      'the month rather than a day of another month',
      '<meta name=citation_publication_date content="2023/09"><h1>T</h1><p>3 May 2019</p>',
      ['2023-09-01', 'meta', 'month'],
    ],
    [
      'the day in the month that the page shows',
      '<meta name=citation_publication_date content="2023/09"><h1>T</h1><p>3 September 2023</p>',
      ['2023-09-03', 'text', 'day'],
    ],
  ])('keeps the precision of %s', (_rule, html, expected) => {
    expect(date(html)).toEqual(expected)
  })

  it.each([
    ['the root', '<html lang=en-US><h1>T</h1><p>09/05/2023</p>'],
    ['a meta element', '<meta http-equiv=content-language content=en-us><h1>T</h1><p>09/05/2023</p>'],
    ['og:locale beside a language', '<html lang=en><meta property=og:locale content=en_US><h1>T</h1><p>09/05/2023</p>'],
    ['JSON-LD', `${jsonLd({ '@type': 'WebPage', inLanguage: 'en-US' })}<h1>T</h1><p>09/05/2023</p>`],
    [
      'JSON-LD by an item',
      `${jsonLd({ '@type': 'Article', inLanguage: { alternateName: 'en-US' } })}<h1>T</h1><p>09/05/2023</p>`,
    ],
    ['an ancestor', '<html lang=de><div lang=en-US><h1>T</h1><p>09/05/2023</p></div>'],
    ['an ancestor of a class', '<html lang=fr><h1>T</h1><div lang=en-US><p class=date>On 09/05/2023</p></div>'],
  ])('reads the month first if %s says en-US', (_rule, html) => {
    expect(date(html, 'https://a.example/x')?.[0]).toBe('2023-09-05')
    expect(date(html.replace(/en([-_])us/gi, 'en$1GB'), 'https://a.example/x')?.[0]).toBe('2023-05-09')
  })

  it('reads the day first if the first language is not English, or the domain is British', () => {
    const shown = '<h1>T</h1><p>09/05/2023</p>'
    expect(date(`<html lang=fr><meta property=og:locale content=en_US>${shown}`, 'https://a.example/x')?.[0]).toBe(
      '2023-05-09',
    )
    expect(date(`<html lang=en-US>${shown}`, 'https://a.co.uk/x')?.[0]).toBe('2023-05-09')
  })

  const day = '<time datetime="2009-01-01">1 January 2009</time>'
  const story = (line: string) => date(`<h1>Harbour works</h1><p>The harbour was rebuilt.</p>${line}`)?.[0]

  it.each([
    `<p>The founding day was ${day}.</p>`,
    '<p>The founding day was 1 January 2009.</p>',
    `<p>On ${day} the town celebrated its anniversary.</p>`,
    `<p>When the war ended on ${day} nobody in the town knew what to do next</p>`,
    `<ul><li>The bridge was opened on ${day}.</li></ul>`,
    '<p>The council met on <strong>1 January 2009</strong> for the first time.</p>',
    `<p>Die Brücke wurde am <time datetime="2009-01-01">1. Januar 2009</time> eröffnet.</p>`,
    `<p>この橋は<time datetime="2009-01-01">2009年1月1日</time>に開通し、とても便利です。</p>`,
    '<p>Born <time itemprop=birthDate datetime="2009-01-01">1 January 2009</time></p>',
    '<p>Doors: <time class=dt-start datetime="2009-01-01T20:00">1 January 2009</time></p>',
  ])('takes the day that a sentence or event speaks of for no publish date: %s', line => {
    expect(story(line)).toBeUndefined()
  })

  it.each([
    `<p>${day}</p>`,
    `<p>By Ann Lee, ${day}</p>`,
    `<p>This article was first published on ${day}.</p>`,
    `<p>Written by Ann Lee on ${day}.</p>`,
    `<p class=byline>Ann Lee wrote this story on ${day}.</p>`,
    `<p>The editor <a rel=author href=/ann>Ann Lee</a> wrote this on ${day}.</p>`,
    `<p>The editor wrote this on <time pubdate datetime="2009-01-01">1 January</time>.</p>`,
    `<p>5 min read | ${day} | in the news about town.</p>`,
    `<p>${day} – The harbour was rebuilt in three stages.</p>`,
    `<p>BERLIN, ${day} – The harbour was rebuilt in three stages.</p>`,
    '<p>Lisboa, 1 de janeiro de 2009 (Lusa) – O porto foi reconstruído.</p>',
    '<p>Gespeichert von rasos am 1. Januar 2009</p>',
  ])('reads the day of a byline, a label or the place before the first sentence: %s', line => {
    expect(story(line)).toBe('2009-01-01')
  })
})
