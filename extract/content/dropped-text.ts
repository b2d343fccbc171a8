import { collapse, type HtmlTree } from '../html/html-tree.ts'
import { visibleChars } from '../html/text-measure.ts'
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

const HIDDEN = ruleNumber('hidden parts')
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
 * Calls `onText` with each text of a page and the number of the rule that drops the text; 0 if it is kept. At each edge of a block, the
 * text is a space.
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
 * A choice has hardly any text if it has fewer than `MAX_THIN_CHARS` characters and they are less than the share `MIN_SHARE` of the visible
 * text. On pages with published content, the choices below this share had lost the content, and those above it had not.
 */
const MAX_THIN_CHARS = 300
const MIN_SHARE = 0.02

/**
 * If a choice has no text or hardly any, undoes rules until it has enough. The rule in most doubt is undone first.
 *
 * @returns the choice, and the rules that were undone. No rule is undone if a page has only pictures and hidden words.
 */
export function undoRules(tree: HtmlTree, choice: ContentChoice): { choice: ContentChoice; undone: DroppingRule[] } {
  const undone: DroppingRule[] = []
  let current = choice
  const visible = hasText(tree, choice, MAX_THIN_CHARS) ? 0 : charsShown(tree, choice.dropped)
  const enough = Math.min(MAX_THIN_CHARS, Math.max(1, visible * MIN_SHARE))
  for (let at: number = droppingRules.length; !hasText(tree, current, enough); at--) {
    if (at === 0 || (at === HIDDEN && hasPictures(tree, choice))) return { choice, undone: [] }
    const isApplied: boolean = at === BESIDE ? !isWholePage(current) : current.dropped.includes(at)
    if (!isApplied) continue
    undone.push(droppingRules[at - 1]!)
    current = undo(tree, current, at)
  }
  return { choice: current, undone }
}

function undo(tree: HtmlTree, { dropped, roots, captions }: ContentChoice, rule: number): ContentChoice {
  if (rule === BESIDE) return { dropped, roots: [tree.root], captions }
  return { dropped: dropped.map(number => (number === rule ? 0 : number)), roots, captions }
}

function isWholePage({ roots }: ContentChoice): boolean {
  return roots.some(({ tag }) => tag === 'body' || tag === '#root')
}

const letterOrDigit = /[\p{L}\p{N}]/u

/** True if the chosen parts have at least `chars` visible characters in texts with words. */
function hasText({ nodes }: HtmlTree, { roots, dropped }: ContentChoice, chars: number): boolean {
  let found = 0
  for (const root of roots) {
    for (let i = root.index; i < root.end && found < chars; i++) {
      const node = nodes[i]!
      if (dropped[i] && dropped[i] !== CAPTION) i = node.end - 1
      else if (node.tag === '' && letterOrDigit.test(node.text)) found += visibleChars(node)
    }
  }
  return found >= chars
}

/** Counts the characters of a page, without those that no reader sees. */
function charsShown({ nodes }: HtmlTree, dropped: Uint8Array): number {
  let chars = 0
  for (let i = 1; i < nodes.length; i++) {
    const node = nodes[i]!
    if (dropped[i] === NEVER_SHOWN || dropped[i] === HIDDEN) i = node.end - 1
    else if (node.tag === '' && letterOrDigit.test(node.text)) chars += visibleChars(node)
  }
  return chars
}

function hasPictures({ nodes }: HtmlTree, { roots, dropped }: ContentChoice): boolean {
  return roots.some(root => {
    for (let i = root.index; i < root.end; i++) {
      if (dropped[i]) i = nodes[i]!.end - 1
      else if (nodes[i]!.tag === 'img') return true
    }
    return false
  })
}
