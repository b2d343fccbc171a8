import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ScorePart } from '@asof/core'
import { open } from '@asof/core'
import { proProfile, type Signal, signals } from '../../core/search/rerank/ranking-profiles.ts'
import { normalizeUrl } from '../../core/url.ts'
import { plainQuery } from '../../service/evaluate/plain-query.ts'
import { DEPTH } from '../../service/evaluate/ranking-measures.ts'
import { PageFileWriter } from '../apparatus/page-file.ts'
import { type EngineName, loadEngine } from '../engines/engine.ts'
import type { LuceneProgram } from '../engines/lucene-program.ts'
import type { JudgedCollection } from './judged-collection.ts'
import { PlainBm25 } from './plain-bm25.ts'
import { askWithModels, type QualityModels } from './quality-models.ts'

/** Rankings of a collection by system: for each query, page numbers, best first. */
export type Rankings = Map<string, number[][]>

/** Parameters of BM25 in most published comparisons. */
export const standardPoint = { k1: 0.9, b: 0.4 }

/** Parameters of BM25 with which the baselines are tried. */
export const grid = [0.9, 1.2, 1.6, 2].flatMap(k1 => [0.4, 0.5, 0.75].map(b => ({ k1, b })))
/** Name of a system with BM25 parameters, such as `Lucene 0.9/0.4`. */
export const gridName = (system: string, { k1, b }: { k1: number; b: number }) => `${system} ${k1}/${b}`

/** Signals of `pro` that use the other candidates of a query. */
const feedbackSignals: ReadonlySet<string> = new Set<Signal>(['consensus', 'expansion', 'neighbors'])

const QUOTATION_MARKS = /["“”„‟«»‹›「」『』＂]/

/** Returns true if a text contains quotation marks. Single quotation marks do not count, since most of them are apostrophes. */
export function hasQuotationMarks(text: string): boolean {
  return QUOTATION_MARKS.test(text)
}

/** Ranks with the baseline {@link PlainBm25}. */
export function plainRankings(
  { pages, queries }: JudgedCollection,
  points: readonly (typeof grid)[number][],
): Rankings {
  const index = new PlainBm25(pages)
  const ranked = (k1: number, b: number) => queries.map(({ text }) => index.search(text, { k1, b }, DEPTH))
  return new Map(points.map(point => [gridName('plain BM25', point), ranked(point.k1, point.b)]))
}

/** The name of Lucene with an analyzer that neither stems nor drops stop words. */
export const plainLucene = 'Lucene StandardAnalyzer'

/** Ranks with Lucene: with its analyzer for English at every point of the {@link grid}, and with its plain one at the {@link standardPoint}. */
export async function luceneRankings(collection: JudgedCollection, program: LuceneProgram): Promise<Rankings> {
  return new Map([
    ...(await luceneGrid('Lucene', collection, { program, analyzer: 'EnglishAnalyzer', points: grid })),
    ...(await luceneGrid(plainLucene, collection, { program, analyzer: 'StandardAnalyzer', points: [standardPoint] })),
  ])
}

/** Ranks with Lucene at points of the {@link grid}. */
async function luceneGrid(
  system: string,
  { pages, queries }: JudgedCollection,
  { program, analyzer, points }: { program: LuceneProgram; analyzer: string; points: readonly (typeof grid)[number][] },
): Promise<Rankings> {
  const folder = await mkdtemp(join(tmpdir(), 'asof-quality-'))
  try {
    const file = new PageFileWriter(join(folder, 'pages'))
    for (const page of pages) file.write(page)
    file.close()
    const input = points.flatMap(({ k1, b }) =>
      queries.map(({ text }) => `${k1}\t${b}\t${text.replace(/\s+/g, ' ')}\n`),
    )
    const { status, stdout, stderr } = spawnSync(
      program.command,
      [...program.args, join(folder, 'pages'), join(folder, 'index'), String(DEPTH), analyzer],
      { input: input.join(''), encoding: 'utf8', maxBuffer: 2 ** 30 },
    )
    if (status !== 0) throw new Error(`Lucene failed:\n${stderr}`)
    const lines = stdout.split('\n')
    return new Map(
      points.map((point, g) => [
        gridName(system, point),
        queries.map((_, q) => (lines[g * queries.length + q]!.match(/\d+/g) ?? []).map(Number)),
      ]),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Ranks with asof: `realtime`, `pro`, `pro` without relevance feedback, `pro` without each single signal, and `pro` with models if
 * there are any.
 */
export async function asofRankings(
  { pages, queries }: JudgedCollection,
  { models, quoted = false }: { models?: QualityModels | undefined; quoted?: boolean } = {},
): Promise<Rankings> {
  const folder = await mkdtemp(join(tmpdir(), 'asof-quality-'))
  const { embed, rerank } = models ?? {}
  const engine = await open(folder, { searchThreads: 0, embed, rerank })
  try {
    await engine.add(pages.map(({ number: _, ...page }) => page))
    // Computes the vectors of pages that were added while the model failed.
    if (embed) await engine.embed()
    const numbers = new Map(pages.map(({ url, number }) => [normalizeUrl(url), number]))
    const rankings: Rankings = new Map()
    const note = (system: string, q: number, urls: string[]): void => {
      const ranked = rankings.get(system) ?? queries.map((): number[] => [])
      ranked[q] = urls.map(url => numbers.get(url) ?? -1)
      rankings.set(system, ranked)
    }
    for (const [q, { text }] of queries.entries()) {
      const query = plainQuery(text, { quoted })
      const asked = { maxResults: DEPTH, snippetMaxLength: 0 }
      const options = { ...asked, models: false }
      const realtime = await engine.search(query, { ...options, mode: 'realtime' })
      note(
        'realtime',
        q,
        realtime.results.map(({ url }) => url),
      )
      const pro = await engine.search(query, { ...options, mode: 'pro' })
      note(
        'pro',
        q,
        pro.results.map(({ url }) => url),
      )
      if (models) note(models.system, q, await askWithModels(engine, query, asked))
      // Only the candidates of `pro` are re-ranked. Results after the candidates have no signals, and keep their places.
      const maxResults = proProfile.candidates
      const { results, explain } = await engine.search(query, { ...options, maxResults, mode: 'pro', explain: true })
      const parts = explain!.scores
      const rest = pro.results.slice(maxResults).map(({ url }) => url)
      const without = (dropped: ReadonlySet<string>): string[] =>
        results
          .map(({ url }, i) => ({ url, score: scoreWithout(parts[i]!, dropped) }))
          .sort((a, b) => b.score - a.score)
          .map(({ url }) => url)
          .concat(rest)
      note('pro without feedback', q, without(feedbackSignals))
      for (const signal of signals) note(`pro without ${signal}`, q, without(new Set([signal])))
    }
    return rankings
  } finally {
    await engine.close()
    await rm(folder, { recursive: true })
  }
}

function scoreWithout(parts: readonly ScorePart[], dropped: ReadonlySet<string>): number {
  return parts.reduce((sum, part) => sum + ('signal' in part && dropped.has(part.signal) ? 0 : part.score), 0)
}

/** Ranks with another engine, with the settings of its file in engines/. */
export async function rivalRankings(name: EngineName, { pages, queries }: JudgedCollection): Promise<Rankings> {
  const folder = await mkdtemp(join(tmpdir(), 'asof-quality-'))
  try {
    const engine = await (await loadEngine(name)).open(folder, { body: 'text' })
    await engine.add(pages)
    const ranked: number[][] = []
    for (const { text } of queries) {
      const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
      const found = await engine.search({ form: 'or', words, limit: DEPTH })
      ranked.push([...new Set(found.map(Number))])
    }
    await engine.close()
    return new Map([[name, ranked]])
  } finally {
    await rm(folder, { recursive: true })
  }
}
