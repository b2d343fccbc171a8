import { isFunctionWord } from '../../core/text/languages/function-words.ts'
import { type Random, seededRandom } from '../apparatus/random.ts'
import type { Sample, Survey } from '../apparatus/survey.ts'
import type { LaneName, Question } from './question.ts'

/** Number of sampled pages to try before the corpus counts as too small. */
const TRIES = 1_000

/**
 * Draws the queries of every lane. The same survey, settings and seed give the same queries. Only the queries of 12 and 40
 * words contain function words, since some engines skip function words. A lane is empty if the corpus has nothing to draw from:
 * no dated page, no rare word, no page of 40 words.
 *
 * @param source - how to draw OR queries: from word `bands` for generated pages, from `sentences` for real ones.
 * @throws RangeError - the corpus is too small.
 */
export function drawQuestions(
  survey: Survey,
  { count, seed, source }: { count: number; seed: number; source: 'bands' | 'sentences' },
): Record<LaneName, Question[]> {
  const random = seededRandom(seed, 0x51)
  const each = (make: () => Question) => Array.from({ length: count }, make)
  const samples = survey.samples.filter(({ sentences }) => new Set(askable(sentences.flat())).size >= 6)
  if (samples.length === 0) throw new RangeError('the corpus is too small to draw queries from: use more pages')
  const sampleOf = () => samples[random.below(samples.length)]!
  const or10 = each(() => ({
    form: 'or',
    words: source === 'bands' ? fromBands(survey.bands, random) : fromSentence(sampleOf, random),
    limit: 10,
  }))
  const withEach = (conditions: () => Partial<Question>, questions: Question[] = or10) =>
    questions.map(question => ({ ...question, ...conditions() }))
  const past = survey.acquiredAt
  const atInstant = (random: Random) => () => ({ instant: past[100 + random.below(800)]! })
  // These lanes have a random generator of their own, so that they do not change the queries of other lanes.
  const other = seededRandom(seed, 0x52)
  const passages = (length: number): Question[] => {
    const texts = survey.samples
      .map(({ sentences }) => sentences.slice(1).flat())
      .filter(words => new Set(words).size >= length)
    if (texts.length === 0) return []
    return each(() => ({ form: 'or', words: fromPassage(texts[other.below(texts.length)]!, length, other), limit: 10 }))
  }
  const or12 = passages(12)
  const or40 = passages(40)
  const rareWords = survey.bands.at(-1)!
  const withPublished = (share: number) =>
    survey.dated === 0 ? [] : withEach(() => ({ published: windowOf(survey.publishedAt, share, random) }))
  return {
    or10,
    or100: withEach(() => ({ limit: 100 })),
    or12,
    or40,
    rare:
      rareWords.length === 0
        ? []
        : each(() => ({ form: 'or', words: [rareWords[other.below(rareWords.length)]!], limit: 10 })),
    and: each(() => ({ form: 'and', words: fromPage(sampleOf(), random), limit: 10 })),
    phrase: each(() => ({ form: 'phrase', words: fromText(sampleOf, random), limit: 10 })),
    asof: withEach(atInstant(random)),
    'or12-asof': withEach(atInstant(other), or12),
    'or40-asof': withEach(atInstant(other), or40),
    'acquired-1': withEach(() => ({ acquired: windowOf(past, 0.01, random) })),
    'acquired-10': withEach(() => ({ acquired: windowOf(past, 0.1, random) })),
    'acquired-50': withEach(() => ({ acquired: windowOf(past, 0.5, random) })),
    'published-1': withPublished(0.01),
    'published-10': withPublished(0.1),
    'published-50': withPublished(0.5),
    site: withEach(() => ({ site: sampleOf().site })),
    'filter-1': withEach(() => ({ shareBelow: 10 })),
    'filter-10': withEach(() => ({ shareBelow: 100 })),
    'filter-50': withEach(() => ({ shareBelow: 500 })),
    facets: withEach(() => ({ form: 'all', words: [], shareBelow: 100, facet: true })),
    'sort-date': withEach(() => ({ newestFirst: true })),
    'page-100': withEach(() => ({ offset: 990 })),
    ids: withEach(() => ({ contents: 'ids' })),
    results: withEach(() => ({ contents: 'results' })),
    answers: withEach(() => ({ contents: 'answers' })),
    pro: withEach(() => ({ pro: true })),
    'pro-answers': withEach(() => ({ pro: true, contents: 'answers' })),
  }
}

const askable = (words: string[]) => words.filter(word => word.length > 1 && !isFunctionWord(word))

/** Draws 2 to 6 words, each from a random band, so that a query mixes common and rare words. */
function fromBands(allBands: string[][], random: Random): string[] {
  const bands = allBands.filter(band => band.length > 0)
  return distinct(2 + random.below(5), () => {
    const band = bands[random.below(bands.length)]!
    return band[random.below(band.length)]!
  })
}

/** Draws 2 to 6 words that are close together in a title or a sentence, so that frequencies mix as in natural queries. */
function fromSentence(sampleOf: () => Sample, random: Random): string[] {
  const length = 2 + random.below(5)
  for (let tries = 0; tries < TRIES; tries++) {
    const { sentences } = sampleOf()
    // Three in ten come from the title.
    const words = [...new Set(askable(sentences[random.below(10) < 3 ? 0 : random.below(sentences.length)]!))]
    if (words.length < length) continue
    const from = random.below(words.length - length + 1)
    return words.slice(from, from + length)
  }
  throw new RangeError(`the corpus has no sentences of ${length} words to draw queries from`)
}

/** Draws consecutive words of a text, function words included, each once. @param text - must have at least `length` different words. */
function fromPassage(text: string[], length: number, random: Random): string[] {
  const from = random.below(text.length)
  const passage = new Set<string>()
  // After the last word of the text, the words continue with the first one.
  for (let i = 0; passage.size < length; i++) passage.add(text[(from + i) % text.length]!)
  return [...passage]
}

/** Draws 2 to 4 words of one page, so that there is a result. */
function fromPage({ sentences }: Sample, random: Random): string[] {
  const words = askable(sentences.flat())
  return distinct(2 + random.below(3), () => words[random.below(words.length)]!)
}

/** Draws two different adjacent words of a sentence. */
function fromText(sampleOf: () => Sample, random: Random): string[] {
  for (let tries = 0; tries < TRIES; tries++) {
    const { sentences } = sampleOf()
    const words = sentences[random.below(sentences.length)]!
    const pair = words.slice(random.below(words.length)).slice(0, 2)
    if (new Set(askable(pair)).size === 2) return pair
  }
  throw new RangeError('the corpus has no phrases to draw queries from')
}

function distinct(size: number, draw: () => string): string[] {
  const words = new Set<string>()
  while (words.size < size) words.add(draw())
  return [...words]
}

/** Draws a window of time that contains a share of the pages. @param thousandths - the 1,001 quantiles of the instants of the pages. */
function windowOf(thousandths: number[], share: number, random: Random): [number, number] {
  const width = Math.round(share * 1_000)
  const from = random.below(1_000 - width + 1)
  return [thousandths[from]!, thousandths[from + width]!]
}
