import { open, type QuoteVerdict } from '@asof/core'
import { type Random, seededRandom } from '../apparatus/random.ts'
import { changeSentence, type QuotePair } from './change-sentence.ts'

/** Maximum number of sentences that a page has before the quoted one. After it, it has at most one fewer. */
const AROUND = 6
const BATCH = 100

/** The verdicts on pairs, compared with the right ones. */
export interface PairFigures {
  /** Number of right verdicts by change. */
  right: Map<string, number>
  wrong: { pair: QuotePair; verdict: QuoteVerdict }[]
}

/** Draws pairs of a page and a quote that differ in one place, and verifies the quotes in an index. */
export async function verifyPairs(texts: readonly string[][], pairs: number, seed: number): Promise<PairFigures> {
  const random = seededRandom(seed, -3)
  const engine = await open(':memory:')
  const figures: PairFigures = { right: new Map(), wrong: [] }
  try {
    for (let made = 0; made < pairs; made += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, pairs - made) }, (_, i) => ({
        ...drawPair(texts, random),
        url: `https://pairs.example/${made + i}`,
      }))
      await engine.add(batch.map(({ url, text }) => ({ url, title: url, text })))
      const verdicts = await engine.verifyAll(batch.map(({ url, pair }) => ({ url, quote: pair.quote })))
      for (const [i, verdict] of verdicts.entries()) {
        const { pair } = batch[i]!
        if (isRight(verdict, pair)) figures.right.set(pair.change, (figures.right.get(pair.change) ?? 0) + 1)
        else figures.wrong.push({ pair, verdict })
      }
    }
    return figures
  } finally {
    await engine.close()
  }
}

/** Draws a sentence, changes it, and puts it between its neighbors. */
function drawPair(texts: readonly string[][], random: Random): { pair: QuotePair; text: string } {
  const sentences = texts[random.below(texts.length)]!
  const place = random.below(sentences.length)
  const pair = changeSentence(sentences[place]!, random)
  // A neighbor that contains the sentence would contain the quote too.
  const words = sentences[place]!.replace(/[.!?]$/, '')
  const around = (from: number, to: number) =>
    sentences.slice(Math.max(0, from), to).filter(other => !other.includes(words))
  return {
    pair,
    text: [...around(place - AROUND, place), pair.page, ...around(place + 1, place + AROUND)].join('\n\n'),
  }
}

function isRight({ verdict, differences = [] }: QuoteVerdict, pair: QuotePair): boolean {
  const kinds = differences.map(({ contradicts }) => contradicts).filter(kind => kind !== undefined)
  if (verdict !== pair.verdict) return false
  return verdict !== 'contradicted' || pair.contradicts === undefined ? true : kinds.includes(pair.contradicts)
}
