import type { StructuredItem } from '../page.ts'
import { nameWords } from './class-evidence.ts'
import { clip, collapse, type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import { isItem } from './json-ld.ts'
import type { PageFacts } from './page-facts.ts'

const MAX_AUTHORS = 20
const MAX_NAME_CHARS = 100

const authorMeta = (
  'author article:author citation_author dc.creator dcterms.creator dc:creator parsely-author sailthru.author byl byline ' +
  'cxenseparse:author rbauthors article:author:name authors shareaholic:article_author_name og:author'
).split(' ')

/**
 * Who wrote the page, names joined by `, `: JSON-LD of the article, meta, `rel=author` and microdata, then bylines.
 * `undefined` when the page doesn't say.
 */
export function authorOf(
  tree: HtmlTree,
  facts: PageFacts,
  siteName: string | undefined,
  sideline: Uint8Array,
): string | undefined {
  for (const find of [
    () => namesOf(facts.article),
    () => authorMeta.map(name => facts.metaAll.get(name) ?? []).find(names => clean(names, siteName).length > 0) ?? [],
    () => marked(tree, sideline),
    () => bylines(tree, sideline),
    () => facts.jsonLd.slice(0, 20).flatMap(item => namesOf(item)),
  ]) {
    const names = clean(find(), siteName)
    if (names.length > 0) return names.join(', ')
  }
  return undefined
}

function namesOf(item: StructuredItem | undefined): string[] {
  const author = item?.author ?? item?.creator
  const list = Array.isArray(author) ? author.slice(0, MAX_AUTHORS) : [author]
  return list.flatMap(entry => {
    if (typeof entry === 'string') return [entry]
    if (!isItem(entry)) return []
    const { name } = entry
    return Array.isArray(name) ? name.filter(one => typeof one === 'string') : typeof name === 'string' ? [name] : []
  })
}

/** `itemprop=author` and `rel=author`. */
function marked(tree: HtmlTree, sideline: Uint8Array): string[] {
  const names: string[] = []
  for (const node of tree.nodes) {
    const { itemprop, rel, content } = node.attributes
    const isAuthor = itemprop !== undefined && /(?:^|\s)(?:author|creator)(?:\s|$)/.test(itemprop.slice(0, 100))
    if (!isAuthor && !(rel !== undefined && /(?:^|\s)author(?:\s|$)/.test(rel.slice(0, 100)))) continue
    if (node.tag === 'link' || sideline[node.index]) continue
    const inner = isAuthor ? innerName(tree, node) : undefined
    names.push(clip(content ?? inner ?? textOf(tree, node, MAX_NAME_CHARS * 2), MAX_NAME_CHARS * 2))
    if (names.length >= MAX_AUTHORS || rel !== undefined) break
  }
  return names
}

function innerName(tree: HtmlTree, node: HtmlNode): string | undefined {
  for (let i = node.index + 1; i < Math.min(node.end, node.index + 100); i++) {
    const { itemprop, content } = tree.nodes[i].attributes
    if (itemprop === 'name') return content ?? textOf(tree, tree.nodes[i], MAX_NAME_CHARS * 2)
  }
  return undefined
}

const bylineWords = new Set('author authors byline writer autor auteur autore verfasser contributor'.split(' '))
const notNameWords = new Set(
  'bio box about image avatar photo comment comments related info description list wrapper social'.split(' '),
)

function bylines(tree: HtmlTree, sideline: Uint8Array): string[] {
  for (const wanted of ['class', 'text'] as const) {
    for (const node of tree.nodes) {
      if (node.tag === '') {
        if (wanted === 'text') {
          const match =
            /^\s*(?:written by|posted by|by|von|par|por|di|door|av|autor:|text:)\s+(\p{Lu}[\p{L}\p{M}.'’-]+(?:\s\p{Lu}[\p{L}\p{M}.'’-]*){1,3})\s*$/iu.exec(
              node.text.slice(0, 120),
            )
          if (match && node.text.length < 120 && /^\p{Lu}/u.test(match[1]) && !sideline[node.index]) return [match[1]]
        }
        continue
      }
      if (wanted !== 'class' || node.end - node.index > 40) continue
      const words = nameWords(node)
      if (!words.some(word => bylineWords.has(word)) || words.some(word => notNameWords.has(word))) continue
      if (sideline[node.index]) continue
      const text = textOf(tree, node, MAX_NAME_CHARS * 2)
      if (text.length > 2 && text.length < MAX_NAME_CHARS) return [text]
    }
  }
  return []
}

const prefix =
  /^(?:(?:words|written|posted|published|story|article|text|reported|reviewed|edited|created|submitted|contributed|photographs?)\s+by|by|von|par|por|di|door|av|af|author|autor|auteur|autore|text|redaktion)\s*:?\s+/i
const notNames =
  /^(?:admin|administrator|editor|editors|editorial|staff|webmaster|author|unknown|anonymous|none|null|undefined|guest|team|user|root|redaktion|n\/a|\d+)$/i

/** Takes prefixes, addresses, handles and roles off, and refuses what can't be a person or body. */
function clean(names: readonly string[], siteName: string | undefined): string[] {
  const kept = new Map<string, string>()
  for (const raw of names.slice(0, MAX_AUTHORS)) {
    if (raw.length > 400) continue
    for (const part of collapse(raw)
      .split(/\s*[;|•·]\s*|\s+[–—-]\s+|\s+(?:on|am|le)\s+(?=\d|\p{Lu})/u)
      .slice(0, 1)) {
      let name = part
        .replace(/^[\s–—:,-]+/, '')
        .replace(prefix, '')
        .replace(/^by:?\s+/i, '')
      name = name.replace(/<[^<>]{0,100}>|\([^()]{0,100}\)|\S{1,64}@\S{0,64}/g, ' ')
      name = collapse(name).replace(/^[@,:\s]+|[\s,:;-]+$/g, '')
      if (name.length < 2 || name.length > MAX_NAME_CHARS || /https?:|www\.|[{}<>[\]]/.test(name)) continue
      if (notNames.test(name) || !/\p{L}/u.test(name)) continue
      if (siteName !== undefined && name.toLowerCase() === siteName.toLowerCase() && names.length > 1) continue
      if (!kept.has(name.toLowerCase())) kept.set(name.toLowerCase(), name)
    }
  }
  return [...kept.values()]
}
