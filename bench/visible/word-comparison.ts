import { plainText } from '../../core/text/markdown/plain-text.ts'
import type { DroppedText } from '../../extract/content/dropped-text.ts'
import { type HiddenKind, hiddenKinds, type ShownPage } from './shown-page.ts'

/** The reason why a word of the Markdown is not shown. `not on the page` should never occur. */
export type InvisibleKind = HiddenKind | 'not on the page'

export interface WordComparison {
  /** Number of shown words, and of words of the Markdown. */
  shown: number
  written: number
  /** The words of the Markdown that are not shown, by the reason. */
  invisible: Map<InvisibleKind, string[]>
  /** The words of the main content that are shown and not in the Markdown, by the rule that dropped them. */
  missing: Map<string, string[]>
  /** Number of shown words of the main content. */
  wanted: number
}

const NO_RULE = 'no rule'

/**
 * Compares the words in the Markdown of a page with the words that Chromium shows.
 *
 * @param page.body - the main content as people marked it; undefined if nobody did.
 */
export function compareWords(
  { shown, hidden }: ShownPage,
  page: { markdown: string; dropped: readonly DroppedText[]; body?: string },
): WordComparison {
  const shownWords = countsOf(shown)
  const written = wordsOf(plainText(page.markdown))
  const hiddenWords = hiddenKinds.map(kind => ({ kind, words: countsOf(hidden[kind] ?? '') }))
  const invisible = new Map<InvisibleKind, string[]>()
  for (const word of written) {
    if (shownWords.has(word)) continue
    const why = hiddenWords.find(({ words }) => words.has(word))?.kind ?? 'not on the page'
    add(invisible, why, word)
  }
  const writtenWords = countsOf(plainText(page.markdown))
  const byRule = page.dropped.map(({ rule, text }) => ({ rule, words: countsOf(text) }))
  const missing = new Map<string, string[]>()
  let wanted = 0
  for (const [word, count] of countsOf(page.body ?? '')) {
    const due = Math.min(count, shownWords.get(word) ?? 0)
    wanted += due
    for (let lack = due - (writtenWords.get(word) ?? 0); lack > 0; lack--) {
      const rule = byRule.find(({ words }) => (words.get(word) ?? 0) > 0)
      if (rule) rule.words.set(word, rule.words.get(word)! - 1)
      add(missing, rule?.rule ?? NO_RULE, word)
    }
  }
  return { shown: wordsOf(shown).length, written: written.length, invisible, missing, wanted }
}

function add<Key>(lists: Map<Key, string[]>, key: Key, word: string): void {
  const list = lists.get(key)
  if (list) list.push(word)
  else lists.set(key, [word])
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const word of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}

/** Returns the words of a text in lower case. Each character of a script without spaces counts as one. */
function wordsOf(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .toLowerCase()
  return plain.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[\p{L}\p{M}\p{N}]+/gu) ?? []
}
