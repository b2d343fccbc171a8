import type { HtmlNode } from '../html/html-tree.ts'

const emphasis = new Map<string, 'strong' | 'emphasis' | 'strike'>([
  ['b', 'strong'],
  ['strong', 'strong'],
  ['em', 'emphasis'],
  ['i', 'emphasis'],
  ['del', 'strike'],
  ['s', 'strike'],
  ['strike', 'strike'],
])

const struckOut = /text-decoration(?:-line)?\s*:[^;]{0,40}line-through/i

/** Returns the mark of Markdown that an element has; undefined for other elements and for those whose style sets no line through. */
export function markOf({ tag, isMarked, attributes, kind }: HtmlNode): 'strong' | 'emphasis' | 'strike' | undefined {
  const mark = emphasis.get(tag)
  if (mark || !isMarked || kind.isBlock || tag === 'a') return mark
  return struckOut.test(attributes.style ?? '') ? 'strike' : undefined
}
