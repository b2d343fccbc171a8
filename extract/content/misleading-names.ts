import { isChromeWord, nameWords } from '../html/class-evidence.ts'
import type { HtmlNode } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'

/** Elements with prose that were dropped because of their names. None of them contains another. */
export interface DroppedBoxes {
  /** Elements with names such as "nav" or "skip". */
  named: HtmlNode[]
  comments: HtmlNode[]
}

export const noWords: ReadonlySet<string> = new Set()

/**
 * Maximum share of the page's prose in elements that are dropped because of a word in their names. If they have more, they are content,
 * unless the rest of the page has more than {@link MAX_PROSE_BESIDE}.
 */
const MAX_NAMED_PROSE = 0.4
/** Maximum prose in the rest of the page, UTF-16 units. If it has more, the rest is the content. */
const MAX_PROSE_BESIDE = 2000

/** Returns the words in names to ignore on this page, because they would drop most of its prose. */
export function misleadingWords(named: readonly HtmlNode[], all: TextMeasure): ReadonlySet<string> {
  const most = all.prose[0]! * MAX_NAMED_PROSE
  const inNamed = proseIn(named, all)
  if (inNamed <= most || all.prose[0]! - inNamed > MAX_PROSE_BESIDE) return noWords
  const proseOf = new Map<string, number>()
  for (const node of named) {
    for (const word of new Set(nameWords(node))) {
      if (isChromeWord(word)) proseOf.set(word, (proseOf.get(word) ?? 0) + all.prose[node.index]!)
    }
  }
  return new Set([...proseOf].filter(([, prose]) => prose > most).map(([word]) => word))
}

/** True if only ignored words make an element look like navigation and the like. */
export function isMisleading(node: HtmlNode, misleading: ReadonlySet<string>): boolean {
  return misleading.size > 0 && nameWords(node).every(word => misleading.has(word) || !isChromeWord(word))
}

const MIN_DISCUSSION_SHARE = 0.5
const MAX_DISCUSSED_PROSE = 300

/**
 * True if comments are the content of a page: they have most of the prose, and the rest is too short for an article.
 */
export function isDiscussion(comments: readonly HtmlNode[], all: TextMeasure): boolean {
  const inComments = proseIn(comments, all)
  return inComments > all.prose[0]! * MIN_DISCUSSION_SHARE && all.prose[0]! - inComments < MAX_DISCUSSED_PROSE
}

function proseIn(boxes: readonly HtmlNode[], all: TextMeasure): number {
  return boxes.reduce((sum, { index }) => sum + all.prose[index]!, 0)
}
