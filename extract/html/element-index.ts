import type { HtmlNode, HtmlTree } from './html-tree.ts'
import type { IndexedAttribute } from './kept-attributes.ts'

const none: readonly HtmlNode[] = []

/** Returns the elements with one of the tags, in document order. */
export function findByTag({ byTag }: HtmlTree, ...tags: readonly string[]): readonly HtmlNode[] {
  return mergeInPageOrder(...tags.map(tag => byTag.get(tag)?.elements ?? none))
}

/** Returns the elements with one of the attributes, in document order. */
export function findByAttribute({ byAttribute }: HtmlTree, ...names: readonly IndexedAttribute[]): readonly HtmlNode[] {
  return mergeInPageOrder(...names.map(name => byAttribute.get(name) ?? none))
}

/** Returns the elements that are declared as the main content: `<main>` (HTML 4.4.14) and ARIA role `main`. */
export function mainElements(tree: HtmlTree): readonly HtmlNode[] {
  const byRole = findByAttribute(tree, 'role').filter(({ attributes }) => attributes.role === 'main')
  return mergeInPageOrder(findByTag(tree, 'main'), byRole)
}

/** Merges lists of elements, in document order and each element once. */
export function mergeInPageOrder(...lists: readonly (readonly HtmlNode[])[]): readonly HtmlNode[] {
  const full = lists.filter(list => list.length > 0)
  if (full.length < 2) return full[0] ?? none
  return [...new Set(full.flat())].sort((a, b) => a.index - b.index)
}
