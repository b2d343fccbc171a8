import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'

/** Matches styles of an element that shows its children as separate boxes. */
const boxes = /(?:^|[;\s])display\s*:\s*(?:inline-)?(?:flex|grid)\b/i
/** Matches styles of a box in a line. */
const box = /(?:^|[;\s])display\s*:\s*(?:inline-(?:block|flex|grid)|table-cell)\b/i

/**
 * True for an inline element directly after another one, if a page shows a gap between the two: for labels, such as those of tabs, for
 * custom elements, and for boxes by their styles. Boxes of one character are the letters of an animated word, without gaps.
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

/** Returns the sibling directly before an element; undefined if the sibling is text, or the element is the first child. */
function siblingBefore({ nodes }: HtmlTree, { index, parent }: HtmlNode): HtmlNode | undefined {
  let before = nodes[index - 1]
  while (before && before !== parent && before.parent !== parent) before = before.parent
  return before === undefined || before === parent || before.tag === '' ? undefined : before
}
