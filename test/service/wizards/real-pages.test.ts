import { existsSync, readFileSync } from 'node:fs'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { type ExtractedPage, extract } from '../../../core/index.ts'
import { builtInWizards } from '../../../service/index.ts'
import { captureOf, questionOf } from './wizard-question.ts'

const fixtures = new URL('../../../../shared/fixtures/', import.meta.url)
const missing = existsSync(fixtures) ? '' : ' (skipped: ../shared/fixtures is missing)'

async function pageOf(file: string): Promise<ExtractedPage> {
  const bytes = brotliDecompressSync(readFileSync(new URL(file, fixtures)))
  return extract(new Uint8Array(bytes), { url: 'https://www.example.com/page', contentType: 'text/html' })
}

describe.skipIf(missing !== '')(`the data of real pages${missing}`, () => {
  it.each([
    [
      'a range of prices from the variants of a shop',
      'wcxb/pages/0583.html.br',
      'dark roast coffee price',
      [{ wizard: 'product_prices', low_price: 19.99, high_price: 84.99, currency: 'USD', availability: 'in_stock' }],
    ],
    [
      'a price from microdata',
      'trafilatura/pages/969993a74734.html.br',
      'xado schmierfett',
      [{ wizard: 'product_prices', price: 4.92, currency: 'EUR', availability: 'in_stock' }],
    ],
    [
      'a price from OpenGraph',
      'wcxb/pages/4026.html.br',
      'trekking backpack 40l',
      [{ wizard: 'product_prices', price: 94.9, currency: 'GBP' }],
    ],
    [
      'the branch in the town of the query',
      'wcxb/pages/0092.html.br',
      'music house school lenexa',
      [{ wizard: 'places', locality: 'Lenexa', region: 'KS', country: 'US', latitude: 38.970912 }],
    ],
    [
      'both sides of a match',
      'trafilatura/pages/904dbf87703a.html.br',
      'unia leszno falubaz zielona gora',
      [{ wizard: 'sports', home_team: 'Fogo Unia Leszno', away_team: 'RM Solar Falubaz Zielona Góra' }],
    ],
    ['no price of an article in a paper', 'trafilatura/pages/015a30202686.html.br', 'schnee solarmodule preis', []],
    ['nothing for a query about something else', 'wcxb/pages/0583.html.br', 'coffee machine repair', []],
  ])('give %s', async (_what, file, query, expected) => {
    const { data } = await pageOf(file)
    const question = questionOf(query, [captureOf(data)])
    const items = []
    for (const wizard of builtInWizards)
      for (const { fields } of await wizard.answer(question)) items.push({ wizard: wizard.name, ...fields })
    expect(items).toHaveLength(expected.length)
    expect(items).toMatchObject(expected)
  })
})
