import { collapse, type HtmlNode, type HtmlTree } from '../html/html-tree.ts'
import type { ContentChoice } from './content-choice.ts'
import { CAPTION, type DroppingRule, droppingRules, NEVER_SHOWN, ruleNumber } from './dropping-rules.ts'

/** The text that one rule dropped from a page. */
export interface DroppedText {
  rule: DroppingRule
  /** Number of words. An ideograph or Kana counts as one. */
  words: number
  /** What was dropped, in page order, with white space collapsed. */
  text: string
}

/** How the content of a page was chosen. */
export interface ContentExplanation {
  /** Number of words that were kept. */
  words: number
  /** What was dropped, by rule, the most words first. */
  dropped: DroppedText[]
  /** Rules that were not applied, because they left hardly a word of the page. */
  undone: DroppingRule[]
}

const BESIDE = ruleNumber('beside the content')
const word = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]|[\p{L}\p{M}\p{N}]+/gu

/** Counts the words that a choice keeps, and those that each rule drops. */
export function explainChoice(
  tree: HtmlTree,
  { choice, undone }: { choice: ContentChoice; undone: DroppingRule[] },
): ContentExplanation {
  const textOfRule = droppingRules.map((): string[] => [])
  const kept: string[] = []
  forEachText(tree, choice, (text, rule) => (rule === 0 ? kept : textOfRule[rule - 1])?.push(text))
  const dropped = droppingRules.map((rule, index) => {
    const text = collapse(textOfRule[index]!.join(''))
    return { rule, words: countWords(text), text }
  })
  return {
    words: countWords(kept.join('')),
    dropped: dropped.filter(({ words }) => words > 0).sort((a, b) => b.words - a.words),
    undone,
  }
}

function countWords(text: string): number {
  let count = 0
  for (const _ of text.matchAll(word)) count++
  return count
}

/**
 * Calls back with each text of a page, the number of the rule that drops it, or 0, and a space at each edge of a block.
 */
function forEachText(
  tree: HtmlTree,
  { dropped, roots }: ContentChoice,
  onText: (text: string, rule: number) => void,
): void {
  const { nodes } = tree
  let root = 0
  let [rule, end] = [0, 0]
  const blockEnds: number[] = []
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]!
    while (root < roots.length && roots[root]!.end <= i) root++
    if (i >= end) rule = 0
    while (blockEnds.length > 0 && blockEnds.at(-1)! <= i) {
      blockEnds.pop()
      onText(' ', rule)
    }
    const ofNode = dropped[i]!
    if (ofNode === NEVER_SHOWN) {
      i = node.end - 1
      continue
    }
    if (rule === 0 && ofNode !== 0 && ofNode !== CAPTION) [rule, end] = [ofNode, node.end]
    const isInside = root < roots.length && roots[root]!.index <= i
    const current = rule === 0 && !isInside ? BESIDE : rule
    if (node.tag === '') onText(node.text, current)
    else if (node.kind.isBlock || node.tag === 'br') {
      onText(' ', current)
      blockEnds.push(node.end)
    }
  }
}

/**
 * Undoes rules in order of doubt until the choice has words, if it has none.
 *
 * @returns the choice, and the rules that were undone. If the page has no words but hidden ones, undoes nothing.
 */
export function undoRules(tree: HtmlTree, choice: ContentChoice): { choice: ContentChoice; undone: DroppingRule[] } {
  const undone: DroppingRule[] = []
  let current = choice
  for (let at: number = droppingRules.length; !hasWords(tree, current); at--) {
    if (at === 1) return { choice, undone: [] }
    const rule = droppingRules[at - 1]!
    const isApplied: boolean = at === BESIDE || current.dropped.includes(at)
    if (!isApplied) continue
    undone.push(rule)
    current = undo(tree, current, at)
  }
  return { choice: current, undone }
}

function undo(tree: HtmlTree, { dropped, roots, captions }: ContentChoice, rule: number): ContentChoice {
  if (rule === BESIDE) return { dropped, roots: [tree.root], captions }
  return { dropped: dropped.map(number => (number === rule ? 0 : number)), roots, captions }
}

const letterOrDigit = /[\p{L}\p{N}]/u

/** True if the chosen parts have words. */
function hasWords({ nodes }: HtmlTree, { roots, dropped }: ContentChoice): boolean {
  return roots.some((root: HtmlNode) => {
    for (let i = root.index; i < root.end; i++) {
      const node = nodes[i]!
      if (dropped[i] && dropped[i] !== CAPTION) i = node.end - 1
      else if (node.tag === '' && letterOrDigit.test(node.text)) return true
    }
    return false
  })
}
