import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, open } from '../../../core/index.ts'
import { exportJsonl } from '../../../crawler/files/export-jsonl.ts'
import { importJsonl } from '../../../crawler/files/import-jsonl.ts'
import { extractPage } from '../../../extract/extract-page.ts'
import { readMarkdownSource } from '../../../extract/markdown-source/markdown-source.ts'
import { processorMs } from '../../processor-time.ts'

const yaml = (front: string, body = 'Body.') => `---\n${front}\n---\n${body}`

describe('front matter', () => {
  it('of Jekyll gives title, date, author, description and language, and is not text', () => {
    const front =
      'layout: page\ntitle: "The harbour: a guide"\ndate: 2024-03-01 10:00:00 +0200\nauthor: Ann Lee\nexcerpt: >\n  What\n  ships do\nlang: en-GB\ntags: [a, b]'
    expect(readMarkdownSource(yaml(front, '\n# Heading\n\nText.'))).toEqual({
      title: 'The harbour: a guide',
      author: 'Ann Lee',
      description: 'What ships do',
      lang: 'en-GB',
      publishedAt: '2024-03-01T10:00:00+02:00',
      publishedFrom: { source: 'meta', precision: 'second' },
      markdown: '\n# Heading\n\nText.',
    })
  })

  it('of Hugo is TOML too, whose dates keep their precision', () => {
    const front = (date: string) =>
      `+++\ntitle = 'Hugo'\ndate = ${date}\nlastmod = 2024-04-01\nauthors = ["Bob", "Eve"]\nsummary = """About\nit"""\n[params]\nx = 1\n+++\nBody.`
    expect(readMarkdownSource(front('2024-03-05T10:00:00+02:00'))).toMatchObject({
      title: 'Hugo',
      author: 'Bob, Eve',
      description: 'About it',
      publishedFrom: { source: 'meta', precision: 'second' },
      modifiedAt: '2024-04-01',
      markdown: 'Body.',
    })
    expect(readMarkdownSource(front('2024-03-05'))).toMatchObject({
      publishedAt: '2024-03-05',
      publishedFrom: { source: 'meta', precision: 'day' },
    })
  })

  it('of Docusaurus names authors by objects and keys', () => {
    const front =
      'id: intro\ntitle: Start\ndescription: A start\nauthors:\n  - name: Joel Marcey\n    url: https://x\n  - slorber\nlast_update:\n  date: 2024-05-18'
    expect(readMarkdownSource(yaml(front))).toMatchObject({
      title: 'Start',
      description: 'A start',
      author: 'Joel Marcey, slorber',
      modifiedAt: '2024-05-18',
    })
    expect(readMarkdownSource(yaml('authors: {name: Ann Lee, title: Writer}')).author).toBe('Ann Lee')
  })

  it.each([
    ['2024-03-01', '2024-03-01', 'day'],
    ['March 5, 2024', '2024-03-05', 'day'],
    ['2024-03', '2024-03-01', 'month'],
    ['2024-03-01T10:00Z', '2024-03-01T10:00:00Z', 'minute'],
    ['2024-13-45', undefined, undefined],
    ['someday', undefined, undefined],
    ['[1, 2]', undefined, undefined],
  ])('date %s is read as other dates of pages are', (date, publishedAt, precision) => {
    const page = readMarkdownSource(yaml(`title: T\ndate: ${date}`))
    expect([page.publishedAt, page.publishedFrom?.precision]).toEqual([publishedAt, precision])
  })

  it('date is ignored if it is later than the day after the acquisition', () => {
    const latestAt = Date.UTC(2024, 0, 1)
    expect(readMarkdownSource(yaml('title: T\ndate: 2024-01-02'), { latestAt }).publishedAt).toBe('2024-01-02')
    expect(readMarkdownSource(yaml('title: T\ndate: 2024-01-03'), { latestAt }).publishedAt).toBeUndefined()
  })

  it('with an error of YAML is read line by line', () => {
    expect(readMarkdownSource(yaml("title: Part 1: the start\nlayout: page\nauthor: 'Ann Lee'\ntags: [a"))).toEqual({
      title: 'Part 1: the start',
      author: 'Ann Lee',
      markdown: 'Body.',
    })
  })

  it.each([
    ['empty', '---\n---\nBody.', 'Body.'],
    ['ended by dots, with spaces and carriage returns', '---  \r\ntitle: T\r\n...\r\nBody.', 'Body.'],
    ['after a byte order mark', `\ufeff${yaml('title: T')}`, 'Body.'],
    ['at the end of the file', '---\ntitle: T\n---', ''],
  ])('is recognized %s', (_, source, markdown) => {
    expect(readMarkdownSource(source).markdown).toBe(markdown)
  })

  it.each([
    ['a thematic break and text', '---\n\nNote: text\n\n---\nmore'],
    ['a list between two breaks', '---\n- a\n- b\n---\nmore'],
    ['a sentence with a colon', '---\nPlease read this: it is text\n---\nmore'],
    ['unterminated', '---\ntitle: T\nmore'],
    ['longer than 64 Ki', `---\ntitle: T\n${'x: 1 # comment\n'.repeat(5000)}---\nmore`],
    ['TOML with an error', '+++\ntitle: T\n+++\nmore'],
    ['not in the first line', '\n---\ntitle: T\n---\nmore'],
    ['indented', ' ---\ntitle: T\n---\nmore'],
  ])('is text if it is %s', (_, source) => {
    const { markdown, ...fields } = readMarkdownSource(source)
    expect(fields).toEqual({})
    expect(markdown.replace(/^\*\*\*/, '---').replace(/^\\\+/, '+')).toBe(source)
  })

  it('that is hostile is bounded, and its names are only names', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghijklmnop'].map((name, i) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghijklmno'[i]}`).join(',')}]`).join('\n')}`
    const sources = [
      yaml(`title: T\n${bomb}`),
      yaml(`title: ${'['.repeat(20_000)}`),
      yaml(`title: T\nx: ${'{a: '.repeat(10_000)}`),
      yaml(`title: T\n${'- '.repeat(10_000)}`),
      yaml(`title: T\n${'? '.repeat(10_000)}`),
      yaml(`title: "${'\\u0041'.repeat(8000)}"`),
      yaml(`title: T\n${'a: b\n'.repeat(10_000)}`),
      `+++\nx = ${'['.repeat(30_000)}\n+++\n`,
      `+++\n${'a.'.repeat(20_000)}a = 1\n+++\n`,
      `---\n${'a: '.repeat(7_000_000)}`,
    ]
    for (const source of sources) {
      const reading = () => expect(readMarkdownSource(source).title?.length ?? 0).toBeLessThanOrEqual(300)
      expect(processorMs(reading), source.slice(0, 40)).toBeLessThan(20_000)
    }
    for (const source of [
      yaml('__proto__: {title: Evil}\nconstructor: {prototype: {title: Evil}}\nbody: x'),
      yaml('title: Part 1: a\n__proto__: x'),
      '+++\n__proto__ = {title = "Evil"}\n+++\n',
    ])
      expect(readMarkdownSource(source).title ?? '').not.toBe('Evil')
    expect(({} as { title?: unknown }).title).toBeUndefined()
    expect(
      readMarkdownSource(yaml('toString: x\nvalueOf: y\ntitle: {a: 1}\nauthor: [1, {b: 2}, [3]]\ndate: {}')),
    ).toEqual({
      author: '1',
      markdown: 'Body.',
    })
  })

  it('never fails, whatever the file, and is not looked for twice', () => {
    const line = fc.oneof(
      fc.constantFrom(
        '---',
        '+++',
        '...',
        '',
        'title: T',
        'title = "T"',
        'date: 2024-01-01',
        '- a',
        '{',
        '"',
        '<<: *a',
        'a: &a',
        '!!x y',
      ),
      fc.string({ unit: 'binary', maxLength: 20 }),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.boolean(), (lines, mdx) => {
        const { markdown } = readMarkdownSource(lines.join('\n'), { mdx })
        expect(readMarkdownSource(markdown)).toEqual({ markdown: markdown.replace(/\r\n?/g, '\n') })
      }),
      { numRuns: 2000 },
    )
  })
})

describe('a Markdown file', () => {
  let dir: string
  let engine: Engine
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'asof-markdown-'))
    engine = await open(join(dir, 'index'))
  })
  afterAll(async () => {
    await engine.close()
    await rm(dir, { recursive: true })
  })

  const url = 'https://a.org/harbour.md'
  const source = yaml('title: Harbours\nauthor: Ann Lee\ndate: 2024-03-01', 'Ships **arrive**.')
  const fields = { title: 'Harbours', author: 'Ann Lee', markdown: 'Ships **arrive**.' }

  it('is the same page whether it is added, or extracted as a crawl does', async () => {
    await engine.add([{ url, markdown: source }])
    const added = await engine.page(url)
    expect(added).toMatchObject({ ...fields, publishedAt: Date.UTC(2024, 2, 1), publishedFrom: { precision: 'day' } })
    expect((await engine.search('layout Harbours author')).results[0]?.title).toBe('Harbours')
    for (const contentType of ['text/plain; charset=utf-8', 'text/markdown', undefined])
      expect(extractPage(source, { url, contentType })).toMatchObject({
        ...fields,
        publishedAt: '2024-03-01',
      })
  })

  it('has the fields that the caller gives, if there are any', async () => {
    await engine.add([{ url, markdown: source, title: 'Given', publishedAt: '2023-01-01' }])
    expect(await engine.page(url)).toMatchObject({
      ...fields,
      title: 'Given',
      publishedAt: Date.UTC(2023, 0, 1),
      publishedFrom: { source: 'declared', precision: 'day' },
    })
  })

  it('is unchanged after an export and an import, also if its text, or that of an HTML page, looks like front matter', async () => {
    const captures = [
      { url: 'https://a.org/1', markdown: `${yaml('title: One')}\n` },
      { url: 'https://a.org/2', markdown: '---\ntitle: One\n---\n---\ntitle: Two\n---\nBody' },
      { url: 'https://a.org/3', markdown: '---\nnever: closed' },
      { url: 'https://a.org/4', markdown: '+++\nno toml\n+++\nBody' },
      {
        url: 'https://a.org/5',
        html: '<title>Five</title><article><hr><p>Note: this is text</p><hr><p>More of it</p></article>',
      },
      { url: 'https://a.org/6', text: '---\ntitle: Six\n---\nText' },
    ]
    const from = await open(join(dir, 'from'))
    const to = await open(join(dir, 'to'))
    try {
      await from.add(captures)
      const lines: Buffer[] = []
      for await (const line of exportJsonl(from)) lines.push(Buffer.from(line))
      await importJsonl(
        to,
        (async function* () {
          yield* lines
        })(),
      )
      for (const capture of captures) {
        const { acquiredAt: _, lastSeenAt: __, ...before } = (await from.page(capture.url))!
        expect(await to.page(capture.url)).toMatchObject(before)
      }
      expect((await from.page('https://a.org/5'))?.markdown).toContain('Note: this is text')
    } finally {
      await from.close()
      await to.close()
    }
  })
})
