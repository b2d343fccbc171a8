import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'

/** Matches styles of a box whose children are boxes of their own, and of such a box in a line. */
const boxes = /(?:^|[;\s])display\s*:\s*(?:inline-)?(?:flex|grid)\b/i
const box = /(?:^|[;\s])display\s*:\s*(?:inline-(?:block|flex|grid)|table-cell)\b/i

/**
 * True for the second of two inline elements with nothing between them that pages show apart: labels, such as those of tabs, custom elements,
 * and boxes by their styles. Single characters are no boxes but letters that move.
 */
export function isApart(tree: HtmlTree, node: HtmlNode): boolean {
  const { tag, parent, isMarked } = node
  if (!parent || node.kind.isBlock) return false
  const isNamed = tag === 'label' || tag.includes('-')
  if (!isNamed && !isMarked && !parent.isMarked) return false
  const before = siblingBefore(tree, node)
  if (!before) return false
  if (isNamed && (tag === 'label' ? before.tag === tag : before.tag.includes('-'))) return true
  const isBox =
    boxes.test(parent.attributes.style ?? '') || [before, node].every(one => box.test(one.attributes.style ?? ''))
  return isBox && [before, node].every(one => textOf(tree, one, 2).length > 1)
}

/** Returns the element that ends directly before another one; undefined if a text does, or nothing. */
function siblingBefore({ nodes }: HtmlTree, { index, parent }: HtmlNode): HtmlNode | undefined {
  let before = nodes[index - 1]
  while (before && before !== parent && before.parent !== parent) before = before.parent
  return before === undefined || before === parent || before.tag === '' ? undefined : before
}
