import { findByTag } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, nextSibling, textOf } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import type { Article } from './article.ts'
import { ruleNumber } from './dropping-rules.ts'
import { hasShapeOf } from './teasers.ts'

const NEXT_ARTICLES = ruleNumber('next articles')

/** Minimum prose of the page's own article. */
const MIN_OWN_PROSE = 250
/** Maximum number of headings of level 1 that are compared with the title. */
const MAX_HEADINGS = 20

/**
 * Drops the articles after the page's own article. They are siblings of the box with the page's heading, with the same
 * tag and class and a heading of level 1 of their own.
 */
export function dropNextArticles({ tree, dropped, kept, root }: Article, title: string): void {
  const own = findByTag(tree, 'h1')
    .filter(({ index }) => index > root.index && index < root.end)
    .slice(0, MAX_HEADINGS)
    .find(node => textOf(tree, node, 600) === title)
  if (!own || title === '') return
  for (let box = own.parent; box && box !== root; box = box.parent) {
    if (kept.prose[box.index]! < MIN_OWN_PROSE) continue
    for (let next = nextSibling(tree, box); next; next = nextSibling(tree, next)) {
      if (hasShapeOf(next, box) && kept.prose[next.index]! > 0 && holdsHeading(tree, next, kept))
        dropped[next.index] = NEXT_ARTICLES
    }
  }
}

function holdsHeading(tree: HtmlTree, box: HtmlNode, kept: TextMeasure): boolean {
  for (let i = box.index; i < box.end; i++) if (tree.nodes[i]!.tag === 'h1' && kept.chars[i]! > 0) return true
  return false
}
