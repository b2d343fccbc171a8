import { isNamed } from '../html/class-evidence.ts'
import { WordGroup } from '../html/element-name.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { pictureSource } from '../html/picture-source.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import { isCode } from './code-parts.ts'
import { CAPTION } from './dropping-rules.ts'

/** Maximum length of a caption. */
const MAX_CAPTION_CHARS = 1000
const MAX_CAPTION_NODES = 60
/** Maximum number of levels from a caption up to the box that contains its image. */
const MAX_LEVELS = 4
/** The same maximum for an element that only its name marks as a caption, because such names may just mean small print. */
const MAX_LEVELS_BY_NAME = 2
/** Maximum number of nodes between a caption and an image after it. */
const MAX_NODES_BETWEEN = 40

/**
 * Takes the captions and credits of images out of the text.
 *
 * @param dropped - set to {@link CAPTION} for the nodes of captions.
 * @returns the captions, by node index of their images.
 */
export function takeCaptions(
  tree: HtmlTree,
  dropped: Uint8Array,
  kept: TextMeasure,
  roots: readonly HtmlNode[],
): Map<number, string> {
  const captions = new Map<number, string>()
  for (const root of roots) {
    const images: number[] = []
    for (let i = root.index; i < root.end; i++) {
      const node = tree.nodes[i]!
      if (dropped[i] || isCode(node)) {
        i = node.end - 1
        continue
      }
      if (node.tag === 'img' && pictureSource(node.attributes) !== undefined) images.push(i)
      if (!isCaption(node) || kept.chars[i] === 0 || kept.chars[i]! > MAX_CAPTION_CHARS) continue
      if (node.end - i > MAX_CAPTION_NODES || hasImage(tree, node)) continue
      const image = imageOf(tree, node, root, dropped, images)
      if (image === undefined) continue
      dropped[i] = CAPTION
      captions.set(image, collapse(`${captions.get(image) ?? ''} ${textOf(tree, node, MAX_CAPTION_CHARS)}`))
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

function hasTable(tree: HtmlTree, figure: HtmlNode): boolean {
  const end = Math.min(figure.end, figure.index + MAX_NODES_BETWEEN)
  for (let i = figure.index + 1; i < end; i++) if (tree.nodes[i]!.tag === 'table') return true
  return false
}

function hasImage(tree: HtmlTree, node: HtmlNode): boolean {
  for (let i = node.index + 1; i < node.end; i++) if (tree.nodes[i]!.tag === 'img') return true
  return false
}

/**
 * Returns the image of a caption. In the nearest box with images, it is the last one before the caption or, if there is
 * none, the first one after it.
 */
function imageOf(
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
    // The caption of a table in a figure does not belong to an image outside of the figure.
    if (box.tag === 'figure' && hasTable(tree, box)) return undefined
    const end = Math.min(box.end, caption.end + MAX_NODES_BETWEEN)
    for (let i = caption.end; i < end; i++) {
      if (dropped[i]) i = tree.nodes[i]!.end - 1
      else if (tree.nodes[i]!.tag === 'img' && pictureSource(tree.nodes[i]!.attributes) !== undefined) return i
    }
  }
  return undefined
}
