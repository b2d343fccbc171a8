import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitFrontMatter } from '../../../extract/markdown-source/front-matter.ts'
import { readMarkdownSource } from '../../../extract/markdown-source/markdown-source.ts'
import { withoutOpeningFence } from '../../../extract/markdown-source/opening-fence.ts'
import { withoutUnseenHtml } from '../../../extract/markdown-source/unseen-html.ts'

describe('front matter', () => {
  it.each([
    ['JSON in braces', '{\n  "title": "A } \\" b",\n  "author": {"name": "Ann"},\n  "date": "2024-05-06"\n}\n\nText'],
    ['JSON between semicolons', ';;;\n"title": "A } \\" b",\n"author": "Ann", "date": "2024-05-06"\n;;;\nText'],
    ['JSON between dashes', '---json\n{"title": "A } \\" b", "author": ["Ann"], "date": "2024-05-06"}\n---\nText'],
    ['a title block of pandoc', '\ufeff% A } " b\n% Ann\n% 2024-05-06\n\nText'],
    [
      'a header of MultiMarkdown',
      'Title:   A }\n    " b\nAuthor: Ann\nBase Header Level: 2\nDate: 2024-05-06  \n\nText',
    ],
    ['a header of Pelican', 'date: 2024-05-06\ntitle: A } " b\nauthors: Ann\nTags: x, y\nSlug: a\n\nText'],
  ])('reads %s', (_, source) => {
    const { title, author, publishedAt, markdown } = readMarkdownSource(source)
    expect({ title, author, publishedAt, markdown: markdown.trim() }).toEqual({
      title: 'A } " b',
      author: 'Ann',
      publishedAt: '2024-05-06',
      markdown: 'Text',
    })
  })
  it('continues the fields of a title block on lines that begin with a blank, and reads empty fields', () => {
    expect(splitFrontMatter('% A long\n  title\n% Ann; Ben\n  Cid\n\nText')).toEqual({
      values: { title: 'A long title', author: ['Ann', 'Ben', 'Cid'] },
      body: '\nText',
    })
    expect(splitFrontMatter('%\n% Ann\n\nText')?.values).toEqual({ author: ['Ann'] })
  })
  it.each([
    '{ a',
    '{"a": 1',
    '{"a": 1} and more',
    '{x}\n\nText',
    '% of the users\nare here',
    '%PDF',
    '%\n\nText',
    ';;;\nno json\n;;;\n',
  ])('leaves ordinary text as it is: %j', source => {
    expect(splitFrontMatter(source)).toBeUndefined()
  })
  it('is never found in Markdown whose opening fence was rewritten', () => {
    const parts = fc.constantFrom('---', '---json', '+++', ';;;', '{', '}', '"a":1', '% x', '%', '\n', ' ', 'a: b')
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), given => {
        expect(splitFrontMatter(withoutOpeningFence(given.join('')))).toBeUndefined()
      }),
    )
  })
})

describe('withoutUnseenHtml', () => {
  it('removes comments, scripts and styles', () => {
    const source =
      '# Page\n\n<!-- a\nhidden\n\nremark -->\n\n<script type="x">track("visitor")\n\n</SCRIPT>\n\n<style>p{}</style>\nShown<!-- x --> words.'
    expect(withoutUnseenHtml(source)).toBe('# Page\n\nShown words.')
  })
  it('keeps them in code, and without an end', () => {
    for (const source of [
      '```html\n<!-- a -->\n<script>x</script>\n```\n',
      '~~~~\n~~~\n<style>x</style>\n~~~~\n',
      'Write `<!-- a -->` or ``<script>`x`</script>``.',
      '    <script>x</script>\n',
      'An escaped \\<!-- a --> mark',
      'Text <!-- never ends',
      '<script>never ends',
    ])
      expect(withoutUnseenHtml(source)).toBe(source)
  })
  it('takes linear time', () => {
    for (const piece of ['<!--', '<script>', '`', '``` ', '<style', '\n```\n', '<!-- -->', '\\'])
      expect(withoutUnseenHtml(piece.repeat(100_000)).length).toBeLessThanOrEqual(piece.length * 100_000)
  })
})

describe('lines with colons at the start', () => {
  it.each([
    'Note: this is a text.\n\nText',
    'Date: Monday\nAuthor: Ann\nAttendees: Ben\n\nText',
    'Title: A\nand more text.\n\nText',
    'Title: A\nAuthor: Ann\n',
    'Title:\n\nText',
    `${'Title: a\n'.repeat(100)}\nText`,
    'Title: A https://a.org/\n<p>b\n\nText',
  ])('are text: %j', source => {
    expect(splitFrontMatter(source)).toBeUndefined()
  })
})

it('does not read a header again in the text of a page', () => {
  const text = withoutOpeningFence('Title: A\n\nText: B')
  expect(text).toBe('Title\\: A\n\nText: B')
  expect(splitFrontMatter(text)).toBeUndefined()
})

describe('an object at the start', () => {
  const parts = (source: string) => splitFrontMatter(source)?.body
  it('is front matter if it has a name that front matter has', () => {
    expect(parts('{\n"title": "A"\n}\nText')).toBe('Text')
    expect(parts('--- json\n{"title": "A"}\n---\nText')).toBe('Text')
  })
  it.each(['{"key": "value"}\n\nis what it answers.', '{"title": "A"}\nis what it answers.', '{\n"a": 1\n}\nText'])(
    'is text if it is an example: %j',
    source => {
      expect(splitFrontMatter(source)).toBeUndefined()
    },
  )
})
