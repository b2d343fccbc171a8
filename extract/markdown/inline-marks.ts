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

/** Matches styles with a line through the text. */
const struckOut = /text-decoration(?:-line)?\s*:[^;]{0,40}line-through/i

/** Returns the mark of Markdown for an element, by its tag or by a style that strikes it out. Returns undefined for other elements. */
export function markOf({ tag, isMarked, attributes, kind }: HtmlNode): 'strong' | 'emphasis' | 'strike' | undefined {
  const mark = emphasis.get(tag)
  if (mark || !isMarked || kind.isBlock || tag === 'a') return mark
  return struckOut.test(attributes.style ?? '') ? 'strike' : undefined
}
