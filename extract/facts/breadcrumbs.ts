import { clip } from '../characters/surrogates.ts'
import { isBreadcrumbsName } from '../html/class-evidence.ts'
import { findByAttribute } from '../html/element-index.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { StructuredItem } from '../page.ts'
import { isItem, typesOf } from '../structured/json-ld.ts'

/** One step of the path from a site's home page to a page. */
export interface Breadcrumb {
  name: string
  /** Absolute URL. The last step, the page itself, often has none. */
  url?: string
}

const MAX_STEPS = 20
const MAX_NAME_CHARS = 200
const MAX_NODES = 300

/**
 * Returns the path to a page through its site, beginning at the home page. It comes from structured data or, without
 * any, from the links in an element that is named breadcrumbs. Empty if the page has neither.
 *
 * @param items - the page's structured data as a flat list.
 */
export function breadcrumbsOf(tree: HtmlTree, items: readonly StructuredItem[], resolver: LinkResolver): Breadcrumb[] {
  const list = items.find(item => typesOf(item).includes('BreadcrumbList'))
  const marked = list === undefined ? [] : stepsOf(list, resolver)
  if (marked.length > 0) return marked
  const labeled = findByAttribute(tree, 'aria-label').find(isLabeledBreadcrumbs)
  const named = tree.nodes.find(isNamedBreadcrumbs)
  const box = labeled && named && named.index < labeled.index ? named : (labeled ?? named)
  return box === undefined ? [] : linkedSteps(tree, box, resolver)
}

function stepsOf(list: StructuredItem, resolver: LinkResolver): Breadcrumb[] {
  const elements = list.itemListElement
  const steps: (Breadcrumb & { position: number })[] = []
  for (const [order, element] of (Array.isArray(elements) ? elements : [elements]).slice(0, MAX_STEPS).entries()) {
    if (!isItem(element)) continue
    const { item } = element
    const name = nameOf(element) ?? (isItem(item) ? nameOf(item) : undefined)
    if (name === undefined) continue
    const address = typeof item === 'string' ? item : isItem(item) ? (item['@id'] ?? item.url) : element.url
    const url = typeof address === 'string' ? resolver.resolve(address) : undefined
    const position = Number(element.position)
    steps.push({ name, url, position: Number.isFinite(position) ? position : order + 1 })
  }
  return steps.sort((a, b) => a.position - b.position).map(({ position: _position, ...step }) => step)
}

function nameOf({ name }: StructuredItem): string | undefined {
  const text = typeof name === 'string' ? collapse(clip(name, MAX_NAME_CHARS)) : ''
  return text === '' ? undefined : text
}

function isLabeledBreadcrumbs({ attributes, index, end }: HtmlNode): boolean {
  return end - index <= MAX_NODES && /bread\s?crumb/i.test((attributes['aria-label'] ?? '').slice(0, 100))
}

function isNamedBreadcrumbs(node: HtmlNode): boolean {
  return node.tag !== '' && node.end - node.index <= MAX_NODES && isBreadcrumbsName(node)
}

function linkedSteps(tree: HtmlTree, box: HtmlNode, resolver: LinkResolver): Breadcrumb[] {
  const steps: Breadcrumb[] = []
  for (let i = box.index + 1; i < box.end && steps.length < MAX_STEPS; i++) {
    const node = tree.nodes[i]!
    if (node.tag !== 'a') continue
    const name = textOf(tree, node, MAX_NAME_CHARS)
    const url = resolver.resolve(node.attributes.href)
    if (name !== '' && url !== undefined) steps.push({ name, url })
  }
  return steps
}
