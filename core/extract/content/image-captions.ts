import { isNamed } from '../html/class-evidence.ts'
import { WordGroup } from '../html/element-name.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { pictureSource } from '../html/picture-source.ts'
import type { TextMeasure } from '../html/text-measure.ts'

/** A longer caption is a text of its own. */
const MAX_CAPTION_CHARS = 1000
const MAX_CAPTION_NODES = 60
/** How far above a caption the box stands that holds its picture; a name alone may mean a small font in a card. */
const MAX_LEVELS = 4
const MAX_LEVELS_BY_NAME = 2
/** How far behind a caption its picture is looked for. */
const MAX_NODES_BETWEEN = 40

/**
 * Takes the captions and credits of pictures out of the running text.
 *
 * @param dropped - gains a 1 for each caption.
 * @returns texts by node index of the picture they belong to.
 */
export function takeCaptions(
  tree: HtmlTree,
  dropped: Uint8Array,
  kept: TextMeasure,
  roots: readonly HtmlNode[],
): Map<number, string> {
  const captions = new Map<number, string>()
  for (const root of roots) {
    const pictures: number[] = []
    for (let i = root.index; i < root.end; i++) {
      const node = tree.nodes[i]
      if (dropped[i]) {
        i = node.end - 1
        continue
      }
      if (node.tag === 'img' && pictureSource(node.attributes) !== undefined) pictures.push(i)
      if (!isCaption(node) || kept.chars[i] === 0 || kept.chars[i] > MAX_CAPTION_CHARS) continue
      if (node.end - i > MAX_CAPTION_NODES || holdsPicture(tree, node)) continue
      const picture = pictureOf(tree, node, root, dropped, pictures)
      if (picture === undefined) continue
      dropped[i] = 1
      captions.set(picture, collapse(`${captions.get(picture) ?? ''} ${textOf(tree, node, MAX_CAPTION_CHARS)}`))
      i = node.end - 1
    }
  }
  return captions
}

function isCaption(node: HtmlNode): boolean {
  if (node.tag === 'figcaption') return true
  if (!node.kind.isBlock && node.tag !== 'span') return false
  return isNamed(node, captionWords)
}

const captionWords = new WordGroup('caption credit credits')

function holdsPicture(tree: HtmlTree, node: HtmlNode): boolean {
  for (let i = node.index + 1; i < node.end; i++) if (tree.nodes[i].tag === 'img') return true
  return false
}

/** The picture before a caption in the nearest box that holds any, else the first one after it there. */
function pictureOf(
  tree: HtmlTree,
  caption: HtmlNode,
  root: HtmlNode,
  dropped: Uint8Array,
  before: readonly number[],
): number | undefined {
  let box: HtmlNode | undefined = caption
  const levels = caption.tag === 'figcaption' ? MAX_LEVELS : MAX_LEVELS_BY_NAME
  for (let level = 0; level < levels && box !== root; level++) {
    box = box?.parent
    if (!box) return undefined
    const last = before.at(-1)
    if (last !== undefined && last > box.index) return last
    const end = Math.min(box.end, caption.end + MAX_NODES_BETWEEN)
    for (let i = caption.end; i < end; i++) {
      if (dropped[i]) i = tree.nodes[i].end - 1
      else if (tree.nodes[i].tag === 'img' && pictureSource(tree.nodes[i].attributes) !== undefined) return i
    }
  }
  return undefined
}
