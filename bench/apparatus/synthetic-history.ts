import type { BenchPage } from './page-file.ts'
import { type Random, seededRandom, zipf } from './random.ts'
import { acquiredAtOf, type CorpusSettings, drawPublishedAt, lengthOf, wordOf } from './synthetic.ts'

const HOSTS = 2_000
const SENTENCE_WORDS = 12
const PARAGRAPH_SENTENCES = 5
/** One page in this many has many captures, as the front page of a site has. */
const BUSY_EVERY = 500
const BUSY_CAPTURES = 400
const MAX_CAPTURES = 50

/** Returns the number of captures of a page: 1 to 50, mostly few; 400 of one page in 500. */
const capturesOf = (page: number, random: Random) =>
  page % BUSY_EVERY === 0 ? BUSY_CAPTURES : 1 + Math.floor(MAX_CAPTURES * random.next() ** 3)

interface Draft {
  url: string
  title: string
  publishedAt?: number
  words: string[]
  captures: number
}

/**
 * Generates the captures of pages that change, the oldest first, about 13 of each page. Four in five changes replace three words, the others 15
 * or half of them. The last word of a text is the number of the capture, so no two texts of a page are equal. The same settings give the same captures.
 */
export function* syntheticHistory({ pages, seed, vocabulary, meanWords }: CorpusSettings): Generator<BenchPage> {
  const random = seededRandom(seed, 0x415)
  const ranks = zipf(vocabulary)
  const hosts = zipf(HOSTS)
  const draw = () => wordOf(ranks.draw(random))
  const visits = Array.from({ length: pages }, (_, page) =>
    Array.from({ length: capturesOf(page, random) }, () => ({ page, at: acquiredAtOf(random.next(), 1) })),
  )
    .flat()
    .sort((a, b) => a.at - b.at)
  const drafts = new Map<number, Draft>()
  let acquiredAt = 0
  for (const [number, { page, at }] of visits.entries()) {
    // Different instants, since a page has one capture at an instant.
    acquiredAt = Math.max(acquiredAt + 1, at)
    let draft = drafts.get(page)
    if (draft) {
      const kind = random.below(100)
      const changed = kind < 80 ? 3 : kind < 97 ? 15 : draft.words.length >> 1
      for (let i = 0; i < changed; i++) draft.words[random.below(draft.words.length)] = draw()
    } else {
      draft = {
        url: `https://h${hosts.draw(random)}.example/${draw()}/${page}`,
        title: Array.from({ length: 3 + random.below(6) }, draw).join(' '),
        publishedAt: drawPublishedAt(acquiredAt, random),
        words: Array.from({ length: lengthOf(meanWords, random) }, draw),
        captures: 0,
      }
      drafts.set(page, draft)
    }
    const { url, title, publishedAt, words } = draft
    yield { number, url, title, publishedAt, acquiredAt, text: `${textOf(words)} ${page}x${draft.captures++}.` }
  }
}

function textOf(words: readonly string[]): string {
  const sentences = Array.from({ length: Math.ceil(words.length / SENTENCE_WORDS) }, (_, i) =>
    words.slice(i * SENTENCE_WORDS, (i + 1) * SENTENCE_WORDS).join(' '),
  )
  return sentences
    .map((sentence, i) => (i === 0 ? '' : i % PARAGRAPH_SENTENCES === 0 ? '.\n\n' : '. ') + sentence)
    .join('')
}
