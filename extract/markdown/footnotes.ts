import { nameWords } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { isRaised } from '../html/script-elements.ts'

/** The footnotes of a page and the references to them. */
export interface Footnotes {
  /** The number of each note, by node index of the note. */
  notes: ReadonlyMap<number, number>
  /**
   * The number of the note that each reference points to, by node index of the reference: a link, or the `<sup>` around
   * it.
   */
  references: ReadonlyMap<number, number>
  /** The node indexes of references that have no note on the page, and are not raised. */
  loose: ReadonlySet<number>
}

const MAX_NOTES = 2000
const MAX_REFERENCES = 10_000
/** Matches the text of a reference, such as `[1]`, `a`, `iv` and `*`. */
const mark = /^[[(]?\s*(?:\d{1,4}|[a-z]|[ivx]{1,6}|[*†‡§¶]{1,3})\s*[\])]?$/i
const noteTags = new Set(['li', 'p', 'div', 'dd', 'aside', 'section', 'td'])
const referenceWords = new Set([
  'footnote',
  'footnotes',
  'fn',
  'fnref',
  'noteref',
  'reference',
  'citation',
  'cite',
  'endnote',
])

/**
 * Finds footnotes and the references to them. A reference must precede its note. Notes are numbered in the order of
 * their references.
 */
export function findFootnotes(tree: HtmlTree, dropped: Uint8Array): Footnotes {
  const notes = new Map<number, number>()
  const references = new Map<number, number>()
  const loose = new Set<number>()
  const links = findByTag(tree, 'a').filter(node => isReference(tree, node))
  if (links.length === 0) return { notes, references, loose }
  const targets = new Map<string, HtmlNode>()
  for (const node of tree.nodes) {
    const { id } = node.attributes
    const note = id === undefined ? undefined : noteTags.has(node.tag) ? node : markedNote(tree, node)
    if (note && !targets.has(id!)) targets.set(id!, note)
  }
  for (const link of links.slice(0, MAX_REFERENCES)) {
    if (isDropped(link, dropped)) continue
    const target = targets.get(fragmentOf(link))
    if (!target || target.index < link.end || isDropped(target, dropped)) {
      if (!isRaisedLink(tree, link) && followsWord(tree, link)) loose.add(link.index)
      continue
    }
    if (notes.size >= MAX_NOTES && !notes.has(target.index)) continue
    const number = notes.get(target.index) ?? notes.size + 1
    notes.set(target.index, number)
    const { parent } = link
    const isAlone = parent?.tag === 'sup' && textOf(tree, parent, 20) === textOf(tree, link, 20)
    references.set(isAlone ? parent.index : link.index, number)
  }
  return { notes, references, loose }
}

/** Returns the note that begins with a link back to its reference; undefined for other elements. */
function markedNote(tree: HtmlTree, node: HtmlNode): HtmlNode | undefined {
  const { parent } = node
  if (node.tag !== 'a' || !parent || !noteTags.has(parent.tag) || parent.index !== node.index - 1) return undefined
  return node.attributes.href?.startsWith('#') && mark.test(textOf(tree, node, 20)) ? parent : undefined
}

function isRaisedLink(tree: HtmlTree, link: HtmlNode): boolean {
  return isRaised(link) || isRaised(link.parent!) || isRaised(tree.nodes[link.index + 1]!)
}

/** True for a mark directly after a word or a sign. The number at the start of a note, for example, is not. */
function followsWord({ nodes }: HtmlTree, { index }: HtmlNode): boolean {
  return /[^\s\d]$/u.test(nodes[index - 1]!.text.slice(-20))
}

function isReference(tree: HtmlTree, node: HtmlNode): boolean {
  if (node.end - node.index > 12) return false
  const { href, role } = node.attributes
  if (href === undefined || href.length < 2 || href.length > 200 || !href.startsWith('#')) return false
  const isMarked =
    role === 'doc-noteref' ||
    node.attributes['epub:type'] === 'noteref' ||
    node.parent?.tag === 'sup' ||
    tree.nodes[node.index + 1]?.tag === 'sup' ||
    [node, node.parent!].some(one => nameWords(one).some(word => referenceWords.has(word)))
  return isMarked && mark.test(textOf(tree, node, 20))
}

function fragmentOf({ attributes }: HtmlNode): string {
  const fragment = (attributes.href ?? '').slice(1)
  try {
    return decodeURIComponent(fragment)
  } catch {
    // A stray `%` shows that the fragment is not percent-encoded.
    return fragment
  }
}

function isDropped(node: HtmlNode, dropped: Uint8Array): boolean {
  for (let up: HtmlNode | undefined = node; up; up = up.parent) if (dropped[up.index]) return true
  return false
}

/** True if a link in a note leads back to its reference. */
export function isBackLink(tree: HtmlTree, node: HtmlNode, note: HtmlNode): boolean {
  if (markedNote(tree, node) === note) return true
  if (nameWords(node).some(word => word === 'backlink' || word === 'backref')) return true
  if (node.tag !== 'a' || !node.attributes.href?.startsWith('#')) return false
  return /^(?:[\s↩↑⤴⏎^]|\ufe0e|\ufe0f)*$/u.test(textOf(tree, node, 20))
}
