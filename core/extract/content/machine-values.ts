import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'

const MAX_VALUE_CHARS = 500
const MAX_VALUE_NODES = 30
const pictureAddress = /^https?:\/\/\S+$|https?:\/\/\S+\.(?:png|jpe?g|gif|svg|webp)(?:\s|\?|$)/i

/** True if the text of a microdata element is for machines: it is a URL, or contains the URL of an image. */
export function isMachineValue(tree: HtmlTree, node: HtmlNode, chars: number): boolean {
  if (!node.isMarked || node.attributes.itemprop === undefined || chars === 0 || chars > MAX_VALUE_CHARS) return false
  if (node.end - node.index > MAX_VALUE_NODES) return false
  if (!pictureAddress.test(textOf(tree, node, MAX_VALUE_CHARS))) return false
  for (let i = node.index; i < node.end; i++) if (tree.nodes[i]!.tag === 'a' || tree.nodes[i]!.tag === 'p') return false
  return true
}
