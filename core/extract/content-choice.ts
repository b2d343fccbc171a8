import { isAsideHeading } from './aside-headings.ts'
import { evidenceOf, isContentName, nameWords } from './class-evidence.ts'
import { blockElements, headingElements, unseenElements } from './element-kinds.ts'
import { type HtmlNode, type HtmlTree, nextSibling, textOf } from './html-tree.ts'
import { dropRepeated } from './repeated-text.ts'
import { measureText, type TextMeasure } from './text-measure.ts'

export interface ContentChoice {
  /** In document order, none inside another. */
  roots: HtmlNode[]
  /** 1 for nodes left out with all they hold, by node index. */
  dropped: Uint8Array
  /** `article`: one body of prose; `page`: everything but the chrome (listings, forums, products, home pages). */
  kind: 'article' | 'page'
}

/** All that a page shows, chrome and controls included; with `hidden` also what it hides. */
export function everything(tree: HtmlTree, options: { hidden: boolean }): ContentChoice {
  return {
    roots: [tree.nodes[0]],
    dropped: options.hidden ? dropUnwritable(tree) : dropUnseen(tree),
    kind: 'page',
  }
}

export interface ContentOptions {
  /** Comments are content. */
  forum: boolean
  /** Short blocks with doubtful names are content, too: tabs of a product, tables of a manual. */
  shortBlocks: boolean
  /** Empty when the page has none. */
  title: string
}

/** Chooses what of a page is its content. */
export function chooseContent(tree: HtmlTree, { forum, shortBlocks, title }: ContentOptions): ContentChoice {
  const options = { forum, lenient: shortBlocks }
  const unseen = dropUnseen(tree)
  const all = measureText(tree, unseen)
  const dropped = dropChrome(tree, unseen, all, options)
  const kept = measureText(tree, dropped)
  const body = bodyOf(tree)
  const article = chooseArticle(tree, kept, body)
  if (article) {
    const roots = [...leadOf(tree, dropped, kept, article), article]
    dropLinkBlocks(tree, dropped, kept, article)
    dropAsideSections(tree, dropped, kept, article)
    dropTitle(tree, dropped, article, title)
    dropRepeated(tree, dropped, kept, roots)
    return { roots, dropped, kind: 'article' }
  }
  // On a page of short blocks a card may well be called "teaser" or "latest".
  const lenient = shortBlocks ? dropped : dropChrome(tree, unseen, all, { ...options, lenient: true })
  const measure = shortBlocks ? kept : measureText(tree, lenient)
  const main = chooseMain(tree, measure, body)
  dropRepeated(tree, lenient, measure, [main])
  return { roots: [main], dropped: lenient, kind: 'page' }
}

/** Scripts, styles and what is marked as hidden; undone where that would be most of the page. */
function dropUnseen(tree: HtmlTree): Uint8Array {
  const { nodes } = tree
  const dropped = new Uint8Array(nodes.length)
  const hidden: number[] = []
  for (let i = 1; i < nodes.length; i++) {
    const { tag, end } = nodes[i]
    if (unseenElements.has(tag)) {
      dropped[i] = 1
      i = end - 1
    } else if (tag === 'noscript' || (tag !== '' && isHidden(nodes[i]))) hidden.push(i)
  }
  const shown = dropped.slice()
  for (const i of hidden) shown[i] = 1
  if (hidden.length === 0) return shown
  const withHidden = measureText(tree, dropped)
  const without = measureText(tree, shown)
  for (const i of hidden) {
    if (nodes[i].attributes.role === 'dialog') continue
    // Pages that show themselves by script, and forums that keep their posts in <noscript>.
    if (withHidden.prose[i] > without.prose[0] && withHidden.chars[i] > without.chars[0] / 2) shown[i] = 0
  }
  return shown
}

/** Parts that React streams in after the page and moves to their places by script. */
const STREAMED = /^S:[0-9a-f]+$/
const disclosureWords = ['accordion', 'collapse', 'collapsible', 'faq']

function isHidden(node: HtmlNode): boolean {
  const { attributes } = node
  if (attributes.hidden !== undefined && attributes.hidden !== 'until-found') {
    return !STREAMED.test(attributes.id?.slice(0, 20) ?? '')
  }
  const style = attributes.style?.slice(0, 500).replace(/\s/g, '').toLowerCase() ?? ''
  if (style.includes('display:none') || style.includes('visibility:hidden')) return true
  // What a reader unfolds is content; other things that are hidden from assistive technology alone are decoration.
  return attributes['aria-hidden'] === 'true' && !nameWords(node).some(word => disclosureWords.includes(word))
}

/** What has no text for a reader even when shown. */
function dropUnwritable(tree: HtmlTree): Uint8Array {
  const dropped = new Uint8Array(tree.nodes.length)
  for (let i = 1; i < tree.nodes.length; i++) {
    if (unseenElements.has(tree.nodes[i].tag)) dropped[i] = 1
  }
  return dropped
}

const controlTags = new Set(['button', 'dialog', 'input', 'optgroup', 'option', 'select', 'textarea'])
const chromeTags = new Set(['nav', 'footer', 'header', 'aside', 'menu'])
const alwaysKept = new Set([
  '#root',
  'html',
  'body',
  'main',
  'table',
  'tbody',
  'thead',
  'tr',
  'td',
  'th',
  'pre',
  'code',
])

interface ChromeOptions {
  /** Comments are content. */
  forum: boolean
  /** Doubtful names are no evidence. */
  lenient: boolean
}

function dropChrome(tree: HtmlTree, unseen: Uint8Array, all: TextMeasure, options: ChromeOptions): Uint8Array {
  const { nodes } = tree
  const dropped = unseen.slice()
  const total = all.chars[0]
  const totalProse = all.prose[0]
  const insideArticle = new Uint8Array(nodes.length)
  for (let i = 1; i < nodes.length; i++) {
    if (dropped[i]) {
      i = nodes[i].end - 1
      continue
    }
    const node = nodes[i]
    if (node.tag === '') continue
    insideArticle[i] = insideArticle[node.parent!.index] | Number(node.tag === 'article' || node.tag === 'main')
    if (alwaysKept.has(node.tag) || headingElements.has(node.tag)) continue
    const chars = all.chars[i]
    // A name may mislead about the bulk of a page; an element made for chrome hardly does.
    const most = chromeTags.has(node.tag) ? 0.7 : 0.4
    const big = chars > total * most || (totalProse > 0 && all.prose[i] > totalProse * most)
    if (controlTags.has(node.tag)) dropped[i] = Number(!big)
    else if (!big && isChrome(node, all, insideArticle[i] === 1, options)) dropped[i] = 1
    if (dropped[i]) i = node.end - 1
  }
  return dropped
}

/** An aside of the article itself, such as a list of ingredients, holds text, not links. */
const MIN_ASIDE_CHARS = 200
const MAX_ASIDE_LINKS = 0.2

function isPlain(node: HtmlNode): boolean {
  const evidence = evidenceOf(node)
  return evidence === 'none' || evidence === 'content'
}

function isChrome(node: HtmlNode, all: TextMeasure, insideArticle: boolean, options: ChromeOptions): boolean {
  const chars = all.chars[node.index]
  const density = chars > 0 ? all.linkChars[node.index] / chars : 0
  switch (node.tag) {
    case 'nav':
    case 'footer':
    case 'menu':
    case 'search':
      return true
    case 'aside':
      return !(insideArticle && chars >= MIN_ASIDE_CHARS && density < MAX_ASIDE_LINKS && isPlain(node))
    case 'header':
      return !insideArticle || density > 0.5
    case 'form':
      return chars < 500
  }
  const evidence = evidenceOf(node)
  // `<article class="with-left-sidebar">` says how it looks; what it is the element says.
  if (node.tag === 'article' && evidence === 'chrome') return all.prose[node.index] === 0
  // Panels of prose that unfold, not a strip of tabs.
  if (node.attributes.role === 'tablist' && all.prose[node.index] > 0) return false
  // Inside a sentence a name like "textTag" is styling, not structure.
  const isPart = !blockElements.has(node.tag) && chars < all.chars[node.parent!.index] * 0.9
  if (isPart) return evidence === 'chrome' && node.tag !== 'a'
  switch (evidence) {
    case 'chrome':
      return true
    case 'comments':
      return !options.forum
    case 'weak-chrome':
      return (
        !options.lenient &&
        node.tag !== 'article' &&
        node.tag !== 'p' &&
        (density > 0.5 || all.prose[node.index] === 0) &&
        chars < 400
      )
    default:
      return false
  }
}

function bodyOf(tree: HtmlTree): HtmlNode {
  return tree.nodes.find(node => node.tag === 'body') ?? tree.nodes[0]
}

/** The one element that holds a body of prose; `undefined` when the page has none. */
function chooseArticle(tree: HtmlTree, kept: TextMeasure, body: HtmlNode): HtmlNode | undefined {
  const prose = kept.prose[body.index]
  if (prose < 250 || prose < kept.chars[body.index] * 0.35) return undefined
  const own = articleOfHeading(tree, kept, prose)
  if (own) return narrow(tree, kept, own)
  let start = body
  let best = 0
  for (const node of tree.nodes) {
    const named =
      node.tag === 'article' || node.tag === 'main' || node.attributes.role === 'main' || isContentName(node)
    if (!named || kept.prose[node.index] < prose * 0.6) continue
    // The deepest of those that hold most of the prose.
    const value = kept.prose[node.index] / kept.chars[node.index] + kept.prose[node.index] / prose
    if (value > best) {
      best = value
      start = node
    }
  }
  return narrow(tree, kept, start)
}

const MIN_OWN_PROSE = 400
const MIN_OTHER_ARTICLES = 3
const MAX_OTHER_SHARE = 0.6

/**
 * On a page with several articles, none of them most of its prose, the one that alone holds the heading of level 1: the
 * others are stories to read next.
 */
function articleOfHeading(tree: HtmlTree, kept: TextMeasure, prose: number): HtmlNode | undefined {
  let [own, others, headings] = [undefined as HtmlNode | undefined, 0, 0]
  for (const node of tree.nodes) {
    if (node.tag === 'article' && kept.prose[node.index] > 0) others++
    if (node.tag !== 'h1' || kept.chars[node.index] === 0) continue
    if (++headings > 1) return undefined
    let up = node.parent
    while (up && up.tag !== 'article') up = up.parent
    own ??= up
  }
  if (!own || others - 1 < MIN_OTHER_ARTICLES) return undefined
  for (let i = own.index + 1; i < own.end; i++) {
    if (tree.nodes[i].tag === 'article' && kept.prose[i] > 0) return undefined
  }
  const share = kept.prose[own.index] / prose
  return kept.prose[own.index] >= MIN_OWN_PROSE && share < MAX_OTHER_SHARE ? own : undefined
}

const MAX_LEAD_LINKS = 0.3
/** Less is a caption, a byline or a subtitle. */
const MIN_LEAD_PROSE = 200
const MAX_CAPTION_PROSE = 600

/** Prose between the main heading and the article: the lead of a story, the question above its answers. */
function leadOf(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, article: HtmlNode): HtmlNode[] {
  let heading: HtmlNode | undefined
  for (let i = 0; i < article.index; i++) {
    if (tree.nodes[i].tag === 'h1' && kept.chars[i] > 0) heading = tree.nodes[i]
  }
  for (let i = article.index; i < article.end; i++) {
    if (tree.nodes[i].tag === 'h1' && kept.chars[i] > 0) return []
  }
  if (!heading) return []
  const lead: HtmlNode[] = []
  let i = heading.end
  while (i < article.index) {
    const node = tree.nodes[i]
    if (node.end > article.index && !dropped[i]) {
      i++
      continue
    }
    const prose = dropped[i] ? 0 : kept.prose[i]
    const isLead = prose >= MIN_LEAD_PROSE && kept.linkChars[i] < kept.chars[i] * MAX_LEAD_LINKS
    if (isLead && !(prose < MAX_CAPTION_PROSE && holdsImage(tree, node))) lead.push(node)
    i = node.end
  }
  return lead
}

function holdsImage(tree: HtmlTree, node: HtmlNode): boolean {
  for (let i = node.index; i < node.end; i++) if (['img', 'figure', 'picture'].includes(tree.nodes[i].tag)) return true
  return false
}

/** Goes down as long as one child holds nearly all the prose. */
function narrow(tree: HtmlTree, kept: TextMeasure, start: HtmlNode): HtmlNode {
  let node = start
  for (;;) {
    let next: HtmlNode | undefined
    for (let i = node.index + 1; i < node.end; i = tree.nodes[i].end) {
      if (kept.prose[i] >= kept.prose[node.index] * 0.9 && tree.nodes[i].tag !== 'p' && tree.nodes[i].tag !== '') {
        next = tree.nodes[i]
        break
      }
    }
    if (!next || next.tag === 'tbody' || next.tag === 'tr' || next.tag === 'ul' || next.tag === 'ol') return node
    node = next
  }
}

function chooseMain(tree: HtmlTree, kept: TextMeasure, body: HtmlNode): HtmlNode {
  let chosen = body
  for (const node of tree.nodes) {
    if (node.tag !== 'main' && node.attributes.role !== 'main') continue
    if (kept.chars[node.index] >= kept.chars[body.index] * 0.4) chosen = node
  }
  return chosen
}

/** Inside an article, lists of links are about other pages. */
function dropLinkBlocks(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, root: HtmlNode): void {
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]
    if (dropped[i]) {
      i = node.end - 1
      continue
    }
    if (!['ul', 'ol', 'div', 'section', 'dl'].includes(node.tag)) continue
    const chars = kept.chars[i]
    if (chars === 0 || kept.prose[i] > 0 || kept.linkChars[i] / chars < 0.75) continue
    dropped[i] = 1
    i = node.end - 1
  }
}

const MAX_HEADING_CHARS = 60
const MAX_HEADING_NODES = 12

/** Inside an article, what follows a heading like "Related stories", up to the next heading beside it. */
function dropAsideSections(tree: HtmlTree, dropped: Uint8Array, kept: TextMeasure, root: HtmlNode): void {
  const limit = kept.prose[root.index] * 0.3
  for (let i = root.index + 1; i < root.end; i++) {
    const node = tree.nodes[i]
    if (dropped[i]) {
      i = node.end - 1
      continue
    }
    const chars = kept.chars[i]
    if (chars === 0 || chars > MAX_HEADING_CHARS || node.end - node.index > MAX_HEADING_NODES) continue
    if (!blockElements.has(node.tag)) continue
    if (!isAsideHeading(textOf(tree, node, MAX_HEADING_CHARS * 2))) continue
    dropped[i] = 1
    const level = headingLevel(tree, node)
    if (level !== undefined) dropFollowing(tree, dropped, kept, node, limit, level)
    i = node.end - 1
  }
}

/** The tag of a heading, or of the one that a small box holds. */
function headingLevel(tree: HtmlTree, box: HtmlNode): string | undefined {
  for (let i = box.index; i < box.end; i++) if (headingElements.has(tree.nodes[i].tag)) return tree.nodes[i].tag
  return undefined
}

function dropFollowing(
  tree: HtmlTree,
  dropped: Uint8Array,
  kept: TextMeasure,
  heading: HtmlNode,
  limit: number,
  level: string,
): void {
  const following: number[] = []
  let prose = 0
  for (let next = nextSibling(tree, heading); next; next = nextSibling(tree, next)) {
    if (headingElements.has(next.tag) && next.tag <= level) break
    prose += kept.prose[next.index]
    // So much prose under it means that the heading announces content after all.
    if (prose > limit) return
    following.push(next.index)
  }
  for (const index of following) dropped[index] = 1
}

/** The title stands in its own field; as the article's first heading it would only repeat. */
function dropTitle(tree: HtmlTree, dropped: Uint8Array, root: HtmlNode, title: string): void {
  if (title === '') return
  for (let i = root.index; i < root.end; i++) {
    const node = tree.nodes[i]
    if (node.tag !== 'h1') continue
    if (textOf(tree, node, 600) === title) dropped[i] = 1
    return
  }
}
