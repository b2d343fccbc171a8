import { describe, expect, it } from 'vitest'
import { extractPage } from '../../../extract/index.ts'
import { extractValues, type ModelQuestion } from '../../../service/extraction/extract-values.ts'
import type { ExtractablePage } from '../../../service/extraction/quoted-values.ts'
import { parseValueSchema } from '../../../service/extraction/value-schema.ts'

const url = 'https://shop.example/chair'
const text = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const date = { type: 'string', format: 'date' }

type Given = Partial<ExtractablePage>
const page = (given: Given): ExtractablePage => ({ url, title: '', markdown: '', ...given })
const extract = (given: Given, properties: object, more: object = {}) =>
  extractValues(page(given), parseValueSchema({ type: 'object', properties, ...more }))

/** The value of the one property `value`, or why there is none. */
async function only(given: Given, name: string, schema: object) {
  const { values, from, missing } = await extract(given, { [name]: schema })
  return values[name] === null
    ? missing[0]?.reason
    : { value: values[name], quote: from[0]?.quote, kind: from[0]?.kind }
}

const product = {
  '@type': 'Product',
  name: 'Chair X',
  brand: { '@type': 'Brand', name: 'Acme' },
  offers: { '@type': 'Offer', price: '1299.00', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
}

describe('values from structured data', () => {
  const markdown = '# Chair X\n\nMade by ACME since 1299. Now **1.299,00 €**, in stock.'
  const given = { markdown, data: [product], lang: 'de' }

  it('are found by their names and aliases, and quoted as the page writes them', async () => {
    const { values, from } = await extract(given, {
      name: text,
      brand: text,
      price: number,
      currency: text,
      availability: { enum: ['in_stock', 'sold_out'] },
      offers: { type: 'object', properties: { price: text } },
    })
    expect(values).toEqual({
      name: 'Chair X',
      brand: 'Acme',
      price: 1299,
      currency: 'EUR',
      availability: 'in_stock',
      offers: { price: null },
    })
    expect(from.map(({ path, name, quote }) => [path, name, quote])).toEqual([
      ['/name', 'Product.name', 'Chair X'],
      ['/brand', 'Product.brand', 'ACME'],
      ['/price', 'Product.offers.price', '1.299,00 €'],
      ['/currency', 'Product.offers.priceCurrency', '1.299,00 €'],
      ['/availability', 'Product.offers.availability', 'in stock'],
    ])
    for (const { quote, start, end } of from) expect(markdown.slice(start, end)).toBe(quote)
  })

  it('are unknown if the text of the page does not state them', async () => {
    expect(await only({ ...given, markdown: '# Chair Y' }, 'price', number)).toBe('no_quote')
    expect(await only({ ...given, markdown: '# Chair Y' }, 'name', text)).toBe('no_quote')
    expect(await only(given, 'weight', number)).toBe('not_found')
    expect(await only(given, 'brand', number)).toBe('type')
  })

  it('are given as declared, apart from the values, if no text states them', async () => {
    const { values, from, missing } = await extract(
      { markdown: 'A chair.', data: [product] },
      { name: text, offers: { type: 'object', properties: { price: number, shipping: text } } },
    )
    expect(values).toEqual({ name: null, offers: { price: null, shipping: null } })
    expect(from).toEqual([])
    expect(missing).toEqual([
      { path: '/name', reason: 'no_quote', declared: 'Chair X' },
      { path: '/offers/price', reason: 'no_quote', declared: 1299 },
      { path: '/offers/shipping', reason: 'not_found' },
    ])
    const long = { '@type': 'Product', description: 'x'.repeat(2_001) }
    expect((await extract({ data: [long] }, { description: text })).missing).toEqual([
      { path: '/description', reason: 'no_quote' },
    ])
  })

  it('are not replaced by facts that were concluded from them', async () => {
    const given = { markdown: 'By Jane Doe', author: 'Jane Doe', data: [{ '@type': 'Article', author: 'Newsroom' }] }
    expect(await only(given, 'author', text)).toBe('no_quote')
  })

  it('may have references of HTML, which templates write into JSON', async () => {
    const data = [{ '@type': 'Product', name: 'Salt &amp; Pepper&#8217;s' }]
    expect(await only({ markdown: 'Salt & Pepper’s', data }, 'name', text)).toMatchObject({ value: 'Salt & Pepper’s' })
  })

  it('are unknown if they are several', async () => {
    const two = { ...product, offers: [{ price: 5 }, { price: 7 }] }
    expect(await only({ markdown: 'Either 5 € or 7 €', data: [two] }, 'price', number)).toBe('conflict')
    const same = { ...product, offers: [{ price: 5 }, { price: '5.00' }] }
    expect(await only({ markdown: 'Only 5 €', data: [same] }, 'price', number)).toMatchObject({ value: 5 })
  })

  it('come from the item that the page is about', async () => {
    const site = { '@type': 'Organization', name: 'Shop', url }
    const teaser = { ...product, name: 'Table' }
    const data = [site, teaser, product]
    const markdown = 'Shop\n\nTable\n\nChair X'
    expect(await only({ title: 'Chair X | Shop', markdown, data }, 'name', text)).toMatchObject({ value: 'Chair X' })
    expect(await only({ title: 'Furniture', markdown, data }, 'name', text)).toBe('conflict')
    const typed = await extract({ markdown, data }, { name: text }, { title: 'Organization' })
    expect(typed.values).toEqual({ name: 'Shop' })
  })

  it('are dates of any form, with no time and no day made up', async () => {
    const data = [{ '@type': 'Article', datePublished: '2024-05-01T22:30:00+02:00' }]
    const found = { value: '2024-05-01', kind: 'data' }
    expect(await only({ markdown: 'On 1 May 2024', data }, 'published', date)).toMatchObject({
      ...found,
      quote: '1 May 2024',
    })
    expect(await only({ markdown: 'Am 1. Mai 2024.', data }, 'published', date)).toMatchObject({
      ...found,
      quote: '1. Mai 2024',
    })
    expect(await only({ markdown: 'Le 01/05/2024', data, lang: 'fr' }, 'published', date)).toMatchObject(found)
    expect(await only({ markdown: '2 May 2024', data }, 'published', date)).toBe('no_quote')
    const moment = { type: 'string', format: 'date-time' }
    expect(await only({ markdown: '1 May 2024', data }, 'published', moment)).toBe('no_quote')
    expect(await only({ markdown: '1 May 2024, 22:30', data }, 'published', moment)).toMatchObject({
      value: '2024-05-01T22:30:00+02:00',
    })
    expect(
      await only({ markdown: 'May 2024', data: [{ '@type': 'Book', datePublished: '2024-05' }] }, 'published', date),
    ).toBe('type')
  })

  it('are addresses that the page links to', async () => {
    const data = [{ '@type': 'Product', image: { '@type': 'ImageObject', url: 'https://a.example/x.png' } }]
    const address = { type: 'string', format: 'uri' }
    const markdown = 'See ![the chair](https://a.example/x.png)'
    expect(await only({ markdown, data }, 'image', address)).toMatchObject({
      value: 'https://a.example/x.png',
      quote: '![the chair](https://a.example/x.png)',
    })
    expect(await only({ markdown: 'See https', data }, 'image', address)).toBe('no_quote')
  })

  it('are the number near words of the property, and never a short number that is there for another reason', async () => {
    const data = [{ '@type': 'Product', aggregateRating: { reviewCount: 12, ratingValue: 4.5 } }]
    const markdown = 'From 12 countries.\n\nRated 4.5 in 12 reviews.'
    const { from } = await extract({ markdown, data }, { reviewCount: integer, rating: number })
    expect(from.map(({ start }) => start)).toEqual([markdown.lastIndexOf('12'), markdown.indexOf('4.5')])
    expect(await only({ markdown: 'From 12 countries.', data }, 'reviewCount', integer)).toBe('no_quote')
  })
})

describe('lists of values', () => {
  it('have the elements of the data, with null for one that the page does not have', async () => {
    const data = [{ '@type': 'Recipe', recipeIngredient: ['2 eggs', '1 cup of sugar', 'salt'] }]
    const { values, from, missing } = await extract(
      { markdown: '- 2 eggs\n- salt', data },
      { ingredients: { type: 'array', items: text } },
    )
    expect(values).toEqual({ ingredients: ['2 eggs', null, 'salt'] })
    expect(from.map(({ path }) => path)).toEqual(['/ingredients/0', '/ingredients/2'])
    expect(missing).toEqual([{ path: '/ingredients/1', reason: 'no_quote', declared: '1 cup of sugar' }])
  })

  it('have objects by property, by type, and from the rows of a table', async () => {
    const faq = {
      '@type': 'FAQPage',
      mainEntity: [{ '@type': 'ModelQuestion', name: 'Why?', acceptedAnswer: { '@type': 'Answer', text: 'Because.' } }],
    }
    const questions = { type: 'array', items: { type: 'object', properties: { question: text, answer: text } } }
    expect((await extract({ markdown: 'Why?\n\nBecause.', data: [faq] }, { questions })).values).toEqual({
      questions: [{ question: 'Why?', answer: 'Because.' }],
    })
    const products = { type: 'array', items: { type: 'object', properties: { name: text } } }
    const list = ['A1', 'B2'].map(name => ({ '@type': 'Product', name }))
    expect((await extract({ markdown: 'A1 and B2', data: list }, { products })).values).toEqual({
      products: [{ name: 'A1' }, { name: 'B2' }],
    })
    const sizes = { type: 'array', items: { type: 'object', properties: { size: text, in_stock: integer } } }
    const markdown = '| Size | In stock |\n| --- | --- |\n| L | 3 |\n| M | none |'
    const { values, missing } = await extract({ markdown }, { sizes })
    expect(values).toEqual({
      sizes: [
        { size: 'L', in_stock: 3 },
        { size: 'M', in_stock: null },
      ],
    })
    expect(missing).toEqual([{ path: '/sizes/1/in_stock', reason: 'type' }])
  })

  it('take a label with commas', async () => {
    const { values } = await extract(
      { markdown: '**Tags:** red, *green*; blue' },
      { tags: { type: 'array', items: text } },
    )
    expect(values).toEqual({ tags: ['red', 'green', 'blue'] })
  })
})

describe('values from labels', () => {
  it('match a label whatever its case, accents and punctuation, or the title of the schema', async () => {
    const markdown = '**GRÖSSE:** 3,5 m\n\nErscheinungs-Datum: 1. Mai 2024'
    const given = { markdown, lang: 'de' }
    expect(await only(given, 'grosse', number)).toMatchObject({ value: 3.5, quote: '3,5 m', kind: 'label' })
    expect(await only(given, 'published', { ...date, title: 'Erscheinungsdatum' })).toMatchObject({
      value: '2024-05-01',
    })
  })

  it('prefer a label with the same words to one that contains them', async () => {
    const markdown = 'Net price: 10\n\nPrice: 12'
    expect(await only({ markdown }, 'price', number)).toMatchObject({ value: 12 })
    expect(await only({ markdown: 'Net price: 10' }, 'price', number)).toMatchObject({ value: 10 })
    expect(await only({ markdown: 'Price match: 10' }, 'price', number)).toBe('not_found')
  })

  it('are unknown if two labels have different values', async () => {
    expect(await only({ markdown: 'Price: 10\n\nPrice: 12' }, 'price', number)).toBe('conflict')
    expect(await only({ markdown: 'Price: 10\n\nPrice: 10.00' }, 'price', number)).toMatchObject({ value: 10 })
  })

  it('are unknown if the text may mean two numbers, or has two', async () => {
    expect(await only({ markdown: 'Price: 1.299' }, 'price', number)).toBe('not_found')
    expect(await only({ markdown: 'Price: 1.299', lang: 'de' }, 'price', number)).toMatchObject({ value: 1299 })
    expect(await only({ markdown: 'Price: 10 or 12' }, 'price', number)).toBe('not_found')
  })

  it('fit the schema', async () => {
    const markdown = 'Pages: 3.5\n\nOpen: yes\n\nState: In Stock\n\nSite: [here](https://a.example/)'
    expect(await only({ markdown }, 'pages', integer)).toBe('not_found')
    expect(await only({ markdown }, 'pages', { ...number, maximum: 3 })).toBe('not_found')
    expect(await only({ markdown }, 'open', { type: 'boolean' })).toMatchObject({ value: true })
    expect(await only({ markdown }, 'state', { enum: ['InStock'] })).toMatchObject({ value: 'InStock' })
    expect(await only({ markdown }, 'site', { type: 'string', format: 'uri' })).toMatchObject({
      value: 'https://a.example/',
    })
  })

  it('count only if no structured data is on the page', async () => {
    const given = { markdown: 'Brand: Other\n\nAcme', data: [product] }
    expect(await only(given, 'brand', text)).toMatchObject({ value: 'Acme', kind: 'data' })
    expect(await only({ ...given, markdown: 'Brand: Other' }, 'brand', text)).toMatchObject({ value: 'Other' })
  })
})

describe('values from fields and facts', () => {
  it('are those of the page', async () => {
    const given = {
      markdown: 'By Jane Doe, 1 May 2024. Level: easy to read',
      author: 'Jane Doe',
      publishedAt: Date.UTC(2024, 4, 1),
      publishedFrom: { source: 'text', precision: 'day' } as const,
      fields: { level: 'easy', seen: new Date('2024-05-01') },
    }
    expect(await only(given, 'author', text)).toMatchObject({ value: 'Jane Doe', kind: 'page' })
    expect(await only(given, 'published_at', date)).toMatchObject({ value: '2024-05-01', kind: 'page' })
    expect(await only(given, 'level', text)).toMatchObject({ value: 'easy', kind: 'field' })
    expect(await only(given, 'seen', date)).toMatchObject({ value: '2024-05-01', kind: 'field' })
  })
})

describe('a language model', () => {
  const schema = parseValueSchema({
    type: 'object',
    properties: { price: number, maker: text, age: integer, tags: { type: 'array', items: text } },
  })
  const markdown = 'Price: 12 €\n\nIt was made by **Jane Doe** of Kiel in wood and steel. It is 7 years old.'

  it('is asked only for what is missing, and its quotes are read, never its words', async () => {
    const asked: ModelQuestion[] = []
    const quotes = new Map([
      ['/maker', ['jane doe of Kiel']],
      ['/age', ['It is 8 years old']],
      ['/price', ['12']],
      ['/tags', ['wood', 'iron', 'steel']],
    ])
    const { values, from, missing } = await extractValues(page({ markdown }), schema, async questions => {
      asked.push(...questions)
      return quotes
    })
    expect(asked.map(({ path, isList }) => [path, isList])).toEqual([
      ['/maker', false],
      ['/age', false],
      ['/tags', true],
    ])
    expect(values).toEqual({ price: 12, maker: 'Jane Doe of Kiel', age: null, tags: ['wood', 'steel'] })
    expect(from.filter(({ kind }) => kind === 'model').map(({ quote }) => quote)).toEqual([
      'Jane Doe** of Kiel',
      'wood',
      'steel',
    ])
    expect(missing).toEqual([{ path: '/age', reason: 'no_quote' }])
  })

  it('is not asked if nothing is missing', async () => {
    const all = parseValueSchema({ type: 'object', properties: { price: number } })
    await extractValues(page({ markdown }), all, () => Promise.reject(new Error('asked')))
  })
})

describe('a page as the extraction reads it', () => {
  it('gives its values', async () => {
    const html = `<html lang="en"><title>Chair X</title><script type="application/ld+json">${JSON.stringify(product)}</script>
      <main><h1>Chair X</h1><p>A chair of wood and steel, on which you can sit for many hours.</p>
      <dl><dt>Weight</dt><dd>12 kg</dd></dl><table><tr><th>Price</th><td>1,299.00 €</td></tr><tr><th>Legs</th><td>4</td></tr></table></main>`
    const { markdown, title = '', data, lang } = extractPage(html, { url })
    const { values } = await extract(
      { markdown, title, data, lang },
      { name: text, price: number, weight: number, legs: integer },
    )
    expect(values).toEqual({ name: 'Chair X', price: 1299, weight: 12, legs: 4 })
  })
})

describe('a hostile page', () => {
  it('with more items than are looked at has the values of the first ones', async () => {
    const items = Array.from({ length: 200_000 }, () => ({ '@type': 'Thing' }))
    const data = [{ '@type': 'Product', price: 12 }, ...items, { '@type': 'Store', about: items }]
    for (const title of [undefined, 'Product'])
      expect(await extract({ markdown: '12 €', data }, { price: number }, { title })).toMatchObject({
        values: { price: 12 },
      })
    expect(await only({ markdown: '12 €', data: [{ '@type': 'Store', about: items }] }, 'price', number)).toBe(
      'not_found',
    )
  })

  const units = 300_000
  const texts = [
    'a ',
    '12 ',
    'price 12 €\n',
    '2024 ',
    '5 June 2024, ',
    '[a](https://a.example/) ',
    'price: 12\n',
    '| a | b |\n|---|---|\n',
    '*',
    '![a',
    '**a:** ',
    '\n\na',
    'x',
  ]

  it.each(texts)('full of %j is read in bounded time', async piece => {
    const properties = Object.fromEntries(
      Array.from({ length: 16 }, (_, i) => [
        [`s${i}`, text],
        [`price${i}`, number],
        [`date${i}`, date],
        [`list${i}`, { type: 'array', items: text }],
      ]).flat(),
    )
    const value = (name: string) =>
      name.startsWith('s')
        ? 'a a a b'
        : name.startsWith('p')
          ? 12
          : name.startsWith('d')
            ? '2024-07-01'
            : Array(8).fill('a '.repeat(900))
    const data = [Object.fromEntries(Object.keys(properties).map(name => [name, value(name)]))]
    const started = process.threadCpuUsage()
    await extract({ markdown: piece.repeat(units / piece.length), data }, properties)
    expect(process.threadCpuUsage(started).user / 1000).toBeLessThan(20_000)
  })

  it.each(['a: x\n\n', '| a | b |\n|---|---|\n\n', '|a'])(
    'that names a property again and again by %j is too',
    async piece => {
      const items = {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`n${i}`, text])),
      }
      const properties = Object.fromEntries([
        ...Array.from({ length: 12 }, (_, i) => [`number${i}`, { ...number, title: 'a' }]),
        ...Array.from({ length: 5 }, (_, i) => [`list${i}`, { type: 'array', items }]),
      ])
      const markdown = `${piece.repeat(units / piece.length)}\n|---|\n`
      const started = performance.now()
      const { missing } = await extract({ markdown }, properties)
      expect(missing).toHaveLength(17)
      expect(performance.now() - started).toBeLessThan(3_000)
    },
  )
})
