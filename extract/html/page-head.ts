import { findByTag } from './element-index.ts'
import type { HtmlNode, HtmlTree } from './html-tree.ts'

/**
 * Returns the elements with a tag that an HTML parser puts into the head (HTML 13.2.6.4.4 and 13.2.6.4.6): those before
 * the first element or text of the body. What users write is in the body, and must not speak for the page.
 */
export function headElements(tree: HtmlTree, tag: 'link' | 'meta'): HtmlNode[] {
  const elements = findByTag(tree, tag)
  const last = elements.at(-1)
  if (last === undefined) return []
  const end = bodyStart(tree, last.index)
  return elements.filter(element => element.index < end && !isInert(element))
}

/**
 * True for an element in a `<noscript>` or `<template>`, which has no effect in a browser: browsers run scripts, and then read `<noscript>`
 * as text (HTML 4.12.2 and 4.12.3).
 */
export function isInert({ parent }: HtmlNode): boolean {
  for (let up = parent; up; up = up.parent) if (up.tag === 'noscript' || up.tag === 'template') return true
  return false
}

/** Returns the index of the first node of the body; `most` if there is none up to that index. */
function bodyStart({ nodes }: HtmlTree, most: number): number {
  for (let i = 1; i <= most; i++) {
    const { tag, kind, text, end } = nodes[i]!
    if (tag === 'html' || tag === 'head') continue
    if (tag === '' ? text.trim() !== '' : !kind.isOfHead) return i
    i = end - 1
  }
  return most + 1
}
