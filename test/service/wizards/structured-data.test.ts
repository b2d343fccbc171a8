import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { builtInWizards } from '../../../service/index.ts'
import { findItems, itemTypesOf, memberOf, valueText, valueUrl } from '../../../service/wizards/structured-data.ts'
import { captureOf, questionOf } from './wizard-question.ts'

const isProduct = (item: Record<string, unknown>) => itemTypesOf(item).includes('Product')

describe('the items of a page', () => {
  it('are found in graphs, lists and other items, outer before inner, in page order', () => {
    const data = [
      { '@type': 'WebPage', mainEntity: { '@type': 'Product', name: 'a' } },
      { '@graph': [[{ '@type': ['Thing', 'https://schema.org/Product'], name: 'b' }]] },
      {
        '@type': 'ItemList',
        itemListElement: [{ item: { '@type': 'schema:Product', name: 'c', part: { '@type': 'Product', name: 'd' } } }],
      },
    ]
    expect(findItems(data, isProduct).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('do not include related and similar items', () => {
    const data = [{ '@type': 'Product', name: 'a', isSimilarTo: { '@type': 'Product', name: 'b' } }]
    expect(findItems(data, isProduct).map(({ name }) => name)).toEqual(['a'])
  })

  it('are limited in depth and number', () => {
    let deep: unknown = { '@type': 'Product' }
    for (let i = 0; i < 5000; i++) deep = { x: deep }
    expect(findItems([deep], isProduct)).toEqual([])
    expect(findItems(Array(1_000_000).fill({ '@type': 'Product' }), isProduct)).toHaveLength(200)
  })
})

describe('a text', () => {
  it.each([
    ['  a\n b ', 'a b'],
    [5, '5'],
    ['Salt &amp; pepper&#39;s', "Salt & pepper's"],
    [{ name: 'Acme' }, 'Acme'],
    [[null, {}, 'x'], 'x'],
    [{ '@value': 'v', '@language': 'en' }, 'v'],
    [{ name: ['n', 'm'] }, 'n'],
    ['x'.repeat(10_000), 'x'.repeat(300)],
    [true, undefined],
    ['', undefined],
  ])('of %j', (value, text) => {
    expect(valueText(value)).toBe(text)
  })
})

it('a member of an enumeration is snake case, with or without its vocabulary', () => {
  expect(memberOf('https://schema.org/InStock')).toBe('in_stock')
  expect(memberOf('OutOfStock')).toBe('out_of_stock')
  expect(memberOf({ '@id': 'http://schema.org/PreOrder' })).toBe('pre_order')
  expect(memberOf('in stock')).toBe('in_stock')
  expect(memberOf('<b>')).toBeUndefined()
})

it('a URL is absolute and leads to the web', () => {
  expect(valueUrl('/a', 'https://example.com/b')).toBe('https://example.com/a')
  expect(valueUrl('javascript:alert(1)', 'https://example.com/b')).toBeUndefined()
})

describe('hostile data', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const property = fc.constantFrom(
    ...'name offers price lowPrice priceCurrency brand address geo telephone homeTeam startDate tickerSymbol currency'.split(
      ' ',
    ),
    ...'currentExchangeRate outcomes outcomePrices hasVariant openingHoursSpecification location amount @id @value'.split(
      ' ',
    ),
  )
  const type = fc.constantFrom(
    ...'Product Offer AggregateOffer Place Restaurant SportsEvent Corporation ExchangeRateSpecification CreditCard Question'.split(
      ' ',
    ),
  )
  const item = fc
    .tuple(type, fc.dictionary(property, fc.oneof(json, fc.constant('word'), fc.dictionary(property, json))))
    .map(([name, rest]) => ({ ...rest, '@type': name }))

  it('makes no wizard fail, and their answers are JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 5 }), async data => {
        for (const wizard of builtInWizards) {
          const answers = await wizard.answer(questionOf('word usd eur price', [captureOf(data)]))
          for (const { fields } of answers) expect(JSON.parse(JSON.stringify(fields))).toEqual(fields)
        }
      }),
      { numRuns: 300 },
    )
  })

  it('takes bounded time, even on ten pages with as much of it as a page may have', async () => {
    const offers = [
      { price: 1, name: 'a' },
      { price: 0, name: 'b' },
    ]
    const data = Array(1900).fill({ '@type': 'Product', name: 'word', homeTeam: 'word', offers })
    expect(JSON.stringify(data).length).toBeGreaterThan(200 * 1024)
    const captures = Array.from({ length: 10 }, () => captureOf([{ '@graph': structuredClone(data) }]))
    const before = process.threadCpuUsage()
    for (const wizard of builtInWizards) await wizard.answer(questionOf('word', captures))
    expect(process.threadCpuUsage(before).user).toBeLessThan(60e6)
  })
})
