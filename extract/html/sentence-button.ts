import type { HtmlNode, HtmlTree } from './html-tree.ts'

/** True for a button inside a sentence, whose label is a word of the sentence: "Click [Save] to keep it". */
export function isSentenceButton({ nodes }: HtmlTree, { tag, parent, index, end }: HtmlNode): boolean {
  if (tag !== 'button' || !parent) return false
  const [before, after] = [nodes[index - 1], nodes[end]]
  if (before?.tag !== '' || after?.tag !== '' || before.parent !== parent || after.parent !== parent) return false
  return /[\p{L}\p{N}]\s*$/u.test(before.text.slice(-100)) && /^\s*\p{Ll}/u.test(after.text.slice(0, 100))
}
