import type { Random } from '../apparatus/random.ts'
import type { PageHistory } from './page-histories.ts'
import type { QuoteParts } from './quote-truth.ts'

/** A question whose answer the history of the page gives. */
export interface DrawnQuote {
  page: PageHistory
  parts: QuoteParts
  /** As it is asked. */
  quote: string
  /** Epoch ms. */
  queryTime: number
}

const HOUR_MS = 3_600_000
const BETWEEN = [' ', ' ', ' ', '\n', ', ', ' – ', '  ']

/**
 * Draws a quote of a page: of any of its versions, at times with other words, with words left out, or of another page, as of any
 * instant of its history, or somewhat before or behind it.
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
        // Numbers with one space between could be one number.
        return `${/^[a-z]/i.test(word) ? BETWEEN[random.below(BETWEEN.length)] : '; '}${word}`
      })
      .join(''),
  )
  return `“${texts.join([' … ', ' [...] ', '...'][random.below(3)])}.”`
}
