import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { type Embedder, type Engine, open } from '../../core/index.ts'
import { seed } from '../histories.ts'
import { type ConceptEmbedder, conceptEmbedder } from './models/concept-embedder.ts'

let engine: Engine
afterEach(async () => {
  await engine.close()
})

function knowing(languages?: readonly string[]): ConceptEmbedder {
  return Object.assign(conceptEmbedder(), languages && { languages })
}

async function opened(embed: Embedder, now: () => number = Date.now): Promise<Engine> {
  engine = await open(':memory:', { embed, now })
  return engine
}

const pageIn = {
  en: {
    url: 'https://en.example/',
    text: 'The night train to Lisbon leaves at nine in the evening, and it is never late.',
  },
  de: {
    url: 'https://de.example/',
    text: 'Der Nachtzug nach Lissabon fährt um neun Uhr am Abend ab und ist niemals zu spät.',
  },
  th: { url: 'https://th.example/', text: 'รถไฟกลางคืนไปลิสบอนออกเดินทางเวลาเก้าโมงเย็นและไม่เคยสายเลย' },
  names: { url: 'https://names.example/', title: '18V', text: 'Makita DHP484 18V LXT' },
} as const
const pages = Object.values(pageIn)
const passages = ({ asked }: ConceptEmbedder) =>
  asked.flatMap(({ kind, texts }) => (kind === 'passage' ? texts : [])).map(text => text.split('\n').at(-1))
const queries = ({ asked }: ConceptEmbedder) => asked.flatMap(({ kind, texts }) => (kind === 'query' ? texts : []))

describe('a model of some languages', () => {
  it.each([
    [['en'], [pageIn.en, pageIn.names]],
    [
      ['de', 'en-US'],
      [pageIn.en, pageIn.de, pageIn.names],
    ],
    [['th'], [pageIn.th]],
    [undefined, pages],
  ])('of %j gets the pages in them, and those of an unknown language in their script', async (languages, known) => {
    const model = knowing(languages)
    await (await opened(model)).add(pages)
    expect(passages(model).sort()).toEqual(known.map(({ text }) => text).sort())
    expect((await engine.stats()).vectors).toBe(known.length)
    expect(await engine.embed()).toEqual({ captures: pages.length, embedded: 0 })
  })

  it.each([
    ['when does the night train to lisbon leave', {}, true],
    ['makita', {}, true],
    ['wann fährt der nachtzug nach lissabon am abend ab', {}, false],
    ['nachtzug spät', {}, false],
    ['train', { language: 'de' }, false],
    ['รถไฟกลางคืน', {}, false],
    ['2134', {}, false],
  ])('takes part in the query %j with %j: %s', async (query, options, takesPart) => {
    await (await opened(knowing(['en']))).add(pages)
    const { receipt, warning } = await engine.search(query, options)
    expect(receipt.vectors !== undefined).toBe(takesPart)
    expect(receipt.profile).toBe(takesPart ? 'pro-meaning' : 'pro')
    expect(warning).toBeUndefined()
  })

  it('is not called for a query that is in another language by itself', async () => {
    const model = knowing(['en'])
    await (await opened(model)).add(pages)
    await engine.search('wann fährt der nachtzug nach lissabon am abend ab')
    await engine.search('train', { language: 'de' })
    expect(queries(model)).toEqual([])
  })

  it('answers in other languages exactly as an index without a model', async () => {
    await (await opened(knowing(['en']))).add(pages)
    for (const query of ['nachtzug spät', 'รถไฟกลางคืน']) {
      const { results } = await engine.search(query)
      expect(results.length).toBeGreaterThan(0)
      expect(results).toEqual((await engine.search(query, { models: false })).results)
    }
  })

  it('is another model with other languages', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'asof-languages-'))
    try {
      engine = await open(dir, { embed: knowing(['en']), searchThreads: 0 })
      await engine.add(pages)
      expect((await engine.search('night train')).receipt.vectors?.model).toBe('concepts-1 (en)')
      await engine.close()
      engine = await open(dir, { embed: knowing(['de', 'en']), searchThreads: 0 })
      expect((await engine.stats()).vectors).toBe(0)
      expect((await engine.embed()).embedded).toBe(3)
    } finally {
      await engine.close()
      await rm(dir, { recursive: true })
    }
  })

  it.each([[[]], ['en'], [['']], [['English language']], [[7]]])('rejects the languages %j', async languages => {
    await opened(knowing())
    const embed = Object.assign(conceptEmbedder(), { languages }) as unknown as Embedder
    const failure = { code: 'ASOF_INVALID_OPTION', details: { field: 'embed' } }
    await expect(open(':memory:', { embed })).rejects.toMatchObject(failure)
  })

  it(`answers as of T as an index that only ever received the captures through T (seed ${seed})`, async () => {
    const added = fc.array(
      fc.tuple(fc.constantFrom(...pages), fc.integer({ min: 0, max: 9 }), fc.constantFrom('en', 'de', '')),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    await fc.assert(
      fc.asyncProperty(added, fc.nat(), async (steps, cut) => {
        const captures = steps.map(([{ url, ...page }, path, language], at) => ({
          ...page,
          url: `${url}${path}`,
          text: `${page.text} ${path}`,
          language: language === '' ? undefined : language,
          acquiredAt: 1_000 + at,
        }))
        const through = 1_000 + (cut % captures.length)
        const answers = async (given: typeof captures, queryTime?: number) => {
          const index = await opened(knowing(['en']), () => 2_000)
          for (const capture of given) await index.add([capture])
          const all = []
          for (const query of ['night train', 'nachtzug', 'Makita 3', 'spät'])
            all.push(await index.search(query, queryTime === undefined ? {} : { queryTime }))
          await index.close()
          return all.map(({ results, receipt }) => ({ results, vectors: receipt.vectors, profile: receipt.profile }))
        }
        const past = await answers(captures.filter(({ acquiredAt }) => acquiredAt <= through))
        expect(await answers(captures, through)).toEqual(past)
      }),
      { numRuns: 12, seed },
    )
    await opened(knowing())
  })
})
