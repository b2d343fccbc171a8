import type { Random } from '../apparatus/random.ts'
import type { PageHistory } from './page-histories.ts'
import type { QuoteParts } from './quote-truth.ts'

/** A quote to verify as of an instant. The right answer follows from the history of the page. */
export interface DrawnQuote {
  page: PageHistory
  parts: QuoteParts
  /** The text that is asked about: the parts with punctuation, and with ellipses between them. */
  quote: string
  /** Epoch ms. */
  queryTime: number
}

const HOUR_MS = 3_600_000
const BETWEEN = [' ', ' ', ' ', '\n', ', ', ' – ', '  ']

/**
 * Draws a page, a quote and an instant. The quote is mostly from one of the versions of the page, and sometimes from another page. In some
 * quotes words are replaced, added or left out. The instant is within the history of the page, or somewhat before or after it.
 */
export function drawQuote(pages: readonly PageHistory[], random: Random): DrawnQuote {
  const page = pages[random.below(pages.length)]!
  const source = random.below(10) === 0 ? pages[random.below(pages.length)]! : page
  const versions = source.versions.flatMap(({ sentences }) => (sentences ? [sentences.flat()] : []))
  const words = versions[random.below(versions.length)]!
  const length = Math.min(words.length, 5 + random.below(40))
  const begin = random.below(words.length - length + 1)
  const parts = changed(words.slice(begin, begin + length), random)
  const [first, last] = [page.versions[0]!.at, page.versions.at(-1)!.at]
  const margin = HOUR_MS + Math.floor((last - first) / 8)
  const from = first - margin
  const until = Math.min(last + margin, Date.now())
  return { page, parts, quote: spelled(parts, random), queryTime: from + random.below(until - from) }
}

function changed(words: string[], random: Random): QuoteParts {
  const place = random.below(words.length)
  const kind = random.below(10)
  if (kind === 0) return [words.with(place, 'invented')]
  if (kind === 1) return [words.with(place, 'invented').with(random.below(words.length), '4711')]
  if (kind === 2) return [words.toSpliced(place, 1)]
  if (kind === 3) return [words.toSpliced(place, 0, 'added')]
  if (kind === 4 && words.length > 12) {
    const cut = 4 + random.below(words.length - 10)
    return [words.slice(0, cut), words.slice(cut + 1 + random.below(3))]
  }
  if (kind === 5)
    return [
      words.with(
        0,
        words[0]!.replace(/^./, letter => letter.toUpperCase()),
      ),
    ]
  return [words]
}

function spelled(parts: QuoteParts, random: Random): string {
  const texts = parts.map(words =>
    words
      .map((word, i) => {
        if (i === 0) return word
        // Two numbers with only a space between them could be read as one number.
        return `${/^[a-z]/i.test(word) ? BETWEEN[random.below(BETWEEN.length)] : '; '}${word}`
      })
      .join(''),
  )
  return `“${texts.join([' … ', ' [...] ', '...'][random.below(3)])}.”`
}
