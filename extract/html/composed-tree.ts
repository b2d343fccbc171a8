import { kindOf } from './element-kinds.ts'
import { HtmlNode, type HtmlTree } from './html-tree.ts'
import { type IndexedAttribute, isIndexed } from './kept-attributes.ts'

/** Maximum depth of documents in `srcdoc` attributes. */
const MAX_DOCUMENTS = 3

export interface ComposeLimits {
  depth: number
  nodes: number
}

/** The light children of a shadow host, by the name of the slot in which they are shown. */
interface Slots {
  assigned: Map<string, HtmlNode[]>
  /** The slots in which the children themselves may be, when their host is in another shadow tree. */
  outer: Slots | undefined
}

/** Sibling nodes to copy: `nodes[at]` to `nodes[end - 1]`, with their descendants. */
interface Range {
  nodes: readonly HtmlNode[]
  at: number
  end: number
  /** The element in the new tree that gets them; undefined for the root. */
  parent: HtmlNode | undefined
  depth: number
  /** The element in the new tree that ends with the range. */
  closes: HtmlNode | undefined
  slots: Slots | undefined
  documents: number
}

/** True for a template that is the shadow tree of its parent (HTML 4.12.3), and so is shown. */
export function isShadowRoot({ tag, attributes }: HtmlNode): boolean {
  return tag === 'template' && (attributes.shadowrootmode ?? attributes.shadowroot) !== undefined
}

/** Matches the ids of a streamed part, and of the placeholder to which a script moves it. Both have the same key. */
const STREAMED = /^S:[0-9a-f]{1,8}$/
const PLACEHOLDER = /^B:[0-9a-f]{1,8}$/

/** True for a hidden part that React sends at the end of a page. A script then moves it to its placeholder. */
export function isStreamed({ attributes: { hidden, id } }: HtmlNode): boolean {
  return hidden !== undefined && id !== undefined && STREAMED.test(id)
}

/** True for the placeholder of a part that React sends at the end of a page. */
export function isPlaceholder({ tag, attributes: { id } }: HtmlNode): boolean {
  return tag === 'template' && id !== undefined && PLACEHOLDER.test(id)
}

/** Returns the key in the id of a streamed part or of its placeholder. */
function keyOf({ attributes }: HtmlNode): string {
  return attributes.id!.slice(2)
}

/** True for a frame whose document is in an attribute. */
export function hasDocument({ tag, attributes }: HtmlNode): boolean {
  if (tag !== 'iframe') return false
  const { srcdoc, width, height } = attributes
  return srcdoc !== undefined && !/^[01]$/.test(width ?? '') && !/^[01]$/.test(height ?? '')
}

/**
 * Returns the tree as it is shown (DOM 4.2.2, "flat tree"): the children of an element with a shadow tree are replaced by that tree, and
 * appear in its slots. The documents of `srcdoc` attributes are in their frames, and streamed parts in the place of their placeholders.
 * Takes linear time, and does not recurse over the depth of the tree.
 *
 * @param parse - parses the document of a frame.
 */
export function composeTree(tree: HtmlTree, parse: (source: string) => HtmlTree, limits: ComposeLimits): HtmlTree {
  const shadows = new Map<HtmlNode, HtmlNode>()
  const composed = new ComposedNodes()
  let truncated = tree.truncated
  const stack: Range[] = []
  const push = (range: Range) => {
    for (let i = range.at; i < range.end; i++) {
      const node = range.nodes[i]!
      if (isShadowRoot(node) && node.parent && !shadows.has(node.parent)) shadows.set(node.parent, node)
    }
    stack.push(range)
  }
  const of = (range: Partial<Range> & Pick<Range, 'nodes' | 'at' | 'end'>, from?: Range): Range => ({
    parent: from?.parent,
    depth: from?.depth ?? 0,
    closes: undefined,
    slots: from?.slots,
    documents: from?.documents ?? 0,
    ...range,
  })
  const waiting = streamedParts(tree.nodes)
  const moved = new Set<HtmlNode>()
  push(of({ nodes: tree.nodes, at: 0, end: tree.nodes.length }))
  while (stack.length > 0) {
    const range = stack[stack.length - 1]!
    if (range.at >= range.end) {
      stack.pop()
      if (range.closes) range.closes.end = composed.nodes.length
      continue
    }
    const { nodes, parent, depth, slots } = range
    const node = nodes[range.at]!
    range.at = node.end
    if (composed.nodes.length >= limits.nodes) {
      truncated = true
      continue
    }
    if (node.tag === '') {
      composed.add(node, parent)
      continue
    }
    if (nodes === tree.nodes) {
      if (moved.has(node)) continue
      // A part before its placeholder is shown where it is.
      if (isStreamed(node)) waiting.delete(keyOf(node))
      const part = isPlaceholder(node) ? waiting.get(keyOf(node)) : undefined
      if (part) {
        waiting.delete(keyOf(node))
        moved.add(part)
        push(of({ nodes, at: part.index + 1, end: part.end }, range))
        continue
      }
    }
    const children = { nodes, at: node.index + 1, end: node.end }
    if (node.tag === 'slot' && slots) {
      const name = node.attributes.name ?? ''
      const assigned = slots.assigned.get(name)
      slots.assigned.delete(name)
      // A slot shows its own content if no children of the host are assigned to it.
      if (assigned === undefined) stack.push(of(children, range))
      else
        for (const child of assigned.reverse())
          stack.push(of({ nodes, at: child.index, end: child.end, slots: slots.outer }, range))
      continue
    }
    const document = hasDocument(node) && range.documents < MAX_DOCUMENTS ? parse(node.attributes.srcdoc!) : undefined
    // Deeper elements are left out, and what they contain becomes part of their parent.
    const isDeep = depth >= limits.depth && node.end > node.index + 1
    const copy = isDeep ? parent : composed.add(node, parent, document ? 'div' : node.tag)
    const inside = { parent: copy, depth: isDeep ? depth : depth + 1, closes: isDeep ? undefined : copy }
    const shadow = shadows.get(node)
    if (document) {
      const body = document.nodes.find(({ tag }) => tag === 'body') ?? document.root
      push(
        of({
          ...inside,
          nodes: document.nodes,
          at: body.index + 1,
          end: body.end,
          documents: range.documents + 1,
        }),
      )
    } else if (shadow) {
      const inner: Slots = { assigned: assignSlots(nodes, node, shadow), outer: slots }
      stack.push(of({ nodes, at: shadow.index + 1, end: shadow.end, ...inside, slots: inner }, range))
    } else stack.push(of({ ...children, ...inside }, range))
  }
  const { nodes, byTag, byAttribute } = composed
  return { root: nodes[0]!, nodes, byTag, byAttribute, truncated }
}

/** Returns the streamed parts by their keys. */
function streamedParts(nodes: readonly HtmlNode[]): Map<string, HtmlNode> {
  const parts = new Map<string, HtmlNode>()
  for (const node of nodes) if (isStreamed(node) && !parts.has(keyOf(node))) parts.set(keyOf(node), node)
  return parts
}

function assignSlots(nodes: readonly HtmlNode[], host: HtmlNode, shadow: HtmlNode): Map<string, HtmlNode[]> {
  const assigned = new Map<string, HtmlNode[]>()
  for (let i = host.index + 1; i < host.end; i = nodes[i]!.end) {
    const child = nodes[i]!
    if (child === shadow || isShadowRoot(child)) continue
    const name = child.attributes.slot ?? ''
    const others = assigned.get(name)
    if (others) others.push(child)
    else assigned.set(name, [child])
  }
  return assigned
}

/** The nodes of the new tree, with the lists by which they are found. */
class ComposedNodes {
  readonly nodes: HtmlNode[] = []
  readonly byTag = new Map<string, { elements: HtmlNode[] }>()
  readonly byAttribute = new Map<IndexedAttribute, HtmlNode[]>()

  add(node: HtmlNode, parent: HtmlNode | undefined, tag = node.tag): HtmlNode {
    const { kind, text, attributes, isMarked } = node
    const copy = new HtmlNode(
      tag,
      tag === node.tag ? kind : kindOf(tag),
      this.nodes.length,
      parent,
      text,
      attributes,
      isMarked,
    )
    this.nodes.push(copy)
    if (tag === '') return copy
    const sameTag = this.byTag.get(tag)
    if (sameTag) sameTag.elements.push(copy)
    else this.byTag.set(tag, { elements: [copy] })
    if (isMarked)
      for (const name of Object.keys(attributes))
        if (isIndexed(name)) {
          const marked = this.byAttribute.get(name)
          if (marked) marked.push(copy)
          else this.byAttribute.set(name, [copy])
        }
    return copy
  }
}
