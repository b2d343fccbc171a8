import { clip } from '../characters/surrogates.ts'
import { isNamed } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { collapse, type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'
import { type DayOrder, parseTextDate } from '../written-dates/date-text.ts'
import { isPersonName, MAX_NAME_CHARS } from './author-names.ts'

const bylineWords = new WordGroup(
  'author authors byline bylines writer autor auteur autore verfasser contributor authorname authorlink autorname',
)
const notNameWords = new WordGroup(
  'bio box about image img avatar photo comment comments related info description list wrapper social date time',
)
const MAX_BYLINE_NODES = 40

/** Returns the names in the first element that contains names and has the class or id of a byline or author. */
export function namesByClass(tree: HtmlTree, boilerplate: Uint8Array, mostBoilerplate: number): string[] {
  for (const node of tree.nodes) {
    if (node.tag === '' || node.end - node.index > MAX_BYLINE_NODES || boilerplate[node.index]! > mostBoilerplate)
      continue
    if (!isNamed(node, bylineWords) || isNamed(node, notNameWords)) continue
    const linked = linkedNames(tree, node)
    if (linked.length > 0) return linked
    const text = textOf(tree, node, MAX_NAME_CHARS * 2)
    if (text.length > 2 && text.length < MAX_NAME_CHARS && isNotLabel(text)) return [text]
  }
  return []
}

/** False if a text is only words before a name, such as "written by". */
const isNotLabel = (text: string) => !/^(?:written|posted|published|words)?\s*(?:by|von|par|por)?\s*:?$/i.test(text)

/** Returns the people's names that are links in a byline. The other text of a byline is roles and dates. */
function linkedNames(tree: HtmlTree, byline: HtmlNode): string[] {
  const names: string[] = []
  for (let i = byline.index + 1; i < byline.end; i++) {
    const node = tree.nodes[i]!
    if (node.tag !== 'a') continue
    const text = textOf(tree, node, MAX_NAME_CHARS)
    if (isPersonName(text)) names.push(text)
  }
  return names
}

const authorPath =
  /\/(?:authors?|contributors?|reporters?|writers?|journalists?|producers?|columnists?|autor(?:en|es)?|auteurs?|autori|redakteure?|people|profiles?|creator|by|team|staff)\/[^/]+\/?$/i

/** Returns the name in the first link to an author's page, outside of boilerplate. */
export function namesByLink(tree: HtmlTree, boilerplate: Uint8Array): string[] {
  for (const node of findByTag(tree, 'a')) {
    if (boilerplate[node.index]! > 0 || node.end - node.index > MAX_BYLINE_NODES) continue
    const href = node.attributes.href?.slice(0, 300).replace(/[?#].*$/, '')
    if (href === undefined || !authorPath.test(href)) continue
    const text = textOf(tree, node, MAX_NAME_CHARS)
    if (isPersonName(text)) return [text]
  }
  return []
}

const byName =
  /^\s*(?:(?:written|posted|published|words|text|story|article|report|blog|reviewed)\s+)?(?:by|von|par|por|di|door|av|autor(?:in)?:|text:|redaktion:|author:)\s+(\p{Lu}[^|•·–—\d,(/]{2,60}?)\s*(?:$|[|•·–—,(/]|\s\d)/iu
const byAtEnd = /(?:^|[\s\d-])(?:by|von|par|por|autor:|author:|autorin:)\s*$/i
const MAX_BYLINE_CHARS = 120
const MAX_NODES_TO_NAME = 4

/** Returns the name in a text such as `By Ann Lee`, or in the text after one that ends in `By`. */
export function namesByText(tree: HtmlTree, boilerplate: Uint8Array): string[] {
  for (const node of tree.nodes) {
    if (node.tag !== '' || node.text.length > MAX_BYLINE_CHARS || boilerplate[node.index]! > 0) continue
    const name = collapse(byName.exec(node.text)?.[1] ?? '')
    if (isPersonName(name)) return [name]
    if (node.text.length > 60 || !byAtEnd.test(node.text)) continue
    for (let i = node.index + 1; i < Math.min(tree.nodes.length, node.index + MAX_NODES_TO_NAME); i++) {
      const next = tree.nodes[i]!
      if (next.tag !== '' || next.text.trim() === '') continue
      const text = collapse(clip(next.text, MAX_NAME_CHARS))
      if (isPersonName(text)) return [text]
      break
    }
  }
  return []
}

const NODES_AFTER_HEADING = 40

/** Returns the name in a line with a date below the main heading, such as `Ann Lee | Senior Writer | July 2, 2025`. */
export function namesBesideDate(
  tree: HtmlTree,
  metadata: PageMetadata,
  boilerplate: Uint8Array,
  order: DayOrder,
): string[] {
  const heading = metadata.headings.find(({ index }) => boilerplate[index] === 0)?.index
  if (heading === undefined) return []
  const last = Math.min(tree.nodes.length, tree.nodes[heading]!.end + NODES_AFTER_HEADING)
  for (let i = tree.nodes[heading]!.end; i < last; i++) {
    const node = tree.nodes[i]!
    if (node.kind.isHeading) return []
    if (node.tag !== '' || node.text.length > MAX_BYLINE_CHARS || boilerplate[i]! > 0) continue
    const text = collapse(node.text)
    if (!/\d{4}/.test(text) || !parseTextDate(text, order)) continue
    const name = text.split(/\s*[|•·]\s*|\s+[–—-]\s+/, 5).find(isPersonName)
    if (name !== undefined) return [name]
  }
  return []
}
