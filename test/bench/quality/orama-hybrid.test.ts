import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { JudgedCollection } from '../../../bench/quality/judged-collection.ts'
import { hybridRankings, oramaHybrid } from '../../../bench/quality/orama-hybrid.ts'
import { conceptEmbedder } from '../../core/models/concept-embedder.ts'

/** `npm run bench` installs the other engines. */
const orama = join(import.meta.dirname, '../../../bench/node_modules/@orama/orama')

describe.skipIf(!existsSync(orama))('the hybrid search of Orama', () => {
  const texts = ['automobile', 'the river ferry', 'bread']
  const collection: JudgedCollection = {
    name: 'small',
    pages: texts.map((text, number) => {
      return { number, url: `https://pages.example/${number}`, title: '', text, acquiredAt: number }
    }),
    ids: texts.map((_, number) => String(number)),
    queries: ['car', 'ferries'].map(text => ({ id: text, text, grades: new Map() })),
  }

  it('finds pages by their vectors, and by stems of their words', async () => {
    const ranked = (await hybridRankings(collection, conceptEmbedder())).get(oramaHybrid.name)
    expect(ranked?.map(pages => pages[0])).toEqual([0, 1])
  })
})
