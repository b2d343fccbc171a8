import { evidenceOf, isNamed, nameWords } from '../html/class-evidence.ts'
import { tagged } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import type { HtmlNode, HtmlTree } from '../html/html-tree.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import { isMachineValue } from './machine-values.ts'
import { type DroppedBoxes, isDiscussion, isMisleading, misleadingWords, noWords } from './misleading-names.ts'

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

export interface ChromeOptions {
  /** The page is a thread of posts. */
  forum: boolean
  /** Comments are content. */
  comments: boolean
  /** Doubtful names are no evidence. */
  lenient: boolean
}

/**
 * What is dropped besides what was: navigation, footers, controls, advertisements, and boxes whose names say such things.
 * If the names would empty the page, it is done again without the words that mislead.
 */
export function dropChrome(tree: HtmlTree, unseen: Uint8Array, all: TextMeasure, options: ChromeOptions): Uint8Array {
  const found: DroppedBoxes = { named: [], comments: [] }
  const dropped = dropOnce(tree, unseen, all, { ...options, misleading: noWords, found })
  const misleading = misleadingWords(found.named, all)
  const comments = options.comments || isDiscussion(found.comments, all)
  if (misleading.size === 0 && comments === options.comments) return dropped
  return dropOnce(tree, unseen, all, { ...options, comments, misleading, found: { named: [], comments: [] } })
}

interface DropOptions extends ChromeOptions {
  /** Words that name no chrome on this page. */
  misleading: ReadonlySet<string>
  /** Gains what is dropped. */
  found: DroppedBoxes
}

function dropOnce(tree: HtmlTree, unseen: Uint8Array, all: TextMeasure, options: DropOptions): Uint8Array {
  const { nodes } = tree
  const dropped = unseen.slice()
  const total = all.chars[0]
  const totalProse = all.prose[0]
  const insideArticle = new Uint8Array(nodes.length)
  const headings = tagged(tree, 'h1').slice(0, MAX_HEADINGS)
  for (let i = 1; i < nodes.length; i++) {
    if (dropped[i]) {
      i = nodes[i].end - 1
      continue
    }
    const node = nodes[i]
    if (node.tag === '') continue
    insideArticle[i] = insideArticle[node.parent!.index] | Number(node.tag === 'article' || node.tag === 'main')
    if (alwaysKept.has(node.tag)) continue
    if (node.kind.isHeading && !(options.forum && isAboutPoster(node))) continue
    const chars = all.chars[i]
    // A name may mislead about the bulk of a page; an element made for chrome hardly does.
    const most = chromeTags.has(node.tag) ? 0.7 : 0.4
    const isBulk = chars > total * most || (totalProse > 0 && all.prose[i] > totalProse * most)
    const big = isBulk && !isBesideArticle(all, node, headings)
    if (controlTags.has(node.tag)) dropped[i] = Number(!big && !isHeadingButton(node))
    else if (!big && isChrome(tree, node, all, insideArticle[i] === 1, options)) dropped[i] = 1
    if (dropped[i]) i = node.end - 1
  }
  return dropped
}

const MAX_HEADINGS = 10
/** Prose that stands with a heading of level 1 in an article. */
const MIN_PROSE_OF_ARTICLE = 250

/** Whether a box has no heading of level 1, but what stands beside it has one, and prose. */
function isBesideArticle(all: TextMeasure, box: HtmlNode, headings: readonly HtmlNode[]): boolean {
  let isBeside = false
  for (const heading of headings) {
    if (all.chars[heading.index] === 0) continue
    if (heading.index >= box.index && heading.index < box.end) return false
    let branch = heading
    while (branch.parent && !(branch.parent.index <= box.index && box.index < branch.parent.end)) branch = branch.parent
    isBeside ||= all.prose[branch.index] >= MIN_PROSE_OF_ARTICLE
  }
  return isBeside
}

/** The heading of a part that a reader unfolds. */
function isHeadingButton({ tag, parent }: HtmlNode): boolean {
  if (tag !== 'button' || !parent) return false
  return parent.kind.isHeading || parent.parent?.kind.isHeading === true || parent.tag === 'dt'
}

/** An aside of the article itself, such as a list of ingredients, holds text, not links. */
const MIN_ASIDE_CHARS = 200
const MAX_ASIDE_LINKS = 0.2

/** The box about who wrote an article, under it. */
function isAboutAuthor(node: HtmlNode): boolean {
  return isNamed(node, authorWords) && isNamed(node, aboutWords)
}

const MAX_ABOUT_AUTHOR_CHARS = 1500
const authorWords = new WordGroup('author authors')
const aboutWords = new WordGroup('bio box card description about profile biography')

/** What stands beside every post of a forum: rank, joining date, number of posts; and what its author ends all posts with. */
function isAboutPoster(node: HtmlNode): boolean {
  return isNamed(node, posterWords) || (isNamed(node, userWords) && isNamed(node, aboutUserWords))
}

const posterWords = new WordGroup(
  'postprofile signature userextras usertitle userstats userdetails userbanner posterinfo',
)
const userWords = new WordGroup('user')
const aboutUserWords = new WordGroup('extras title banner stats details info')

/** What forum software says to all readers, counts of votes, and when a post was last edited. */
function isForumNotice(node: HtmlNode): boolean {
  if (isNamed(node, noticeWords)) return true
  if (!isNamed(node, voteOrEditWords)) return false
  const words = nameWords(node)
  return (words.includes('vote') && words.includes('count')) || (words.includes('last') && words.includes('edit'))
}

const noticeWords = new WordGroup('notice notices')
const voteOrEditWords = new WordGroup('vote edit')
const postsWords = new WordGroup('posts')
const listWords = new WordGroup('container grid list widget tab tabs feed slider')

/** Other posts of a blog, under one of them. */
function isListOfPosts(node: HtmlNode): boolean {
  return isNamed(node, postsWords) && isNamed(node, listWords)
}

const MAX_RATING_CHARS = 100
const ratingWords = new WordGroup('rating ratings')

/** Stars and their number, which structured data say better. */
function isRating(node: HtmlNode): boolean {
  return isNamed(node, ratingWords)
}

function isPlain(node: HtmlNode): boolean {
  const evidence = evidenceOf(node)
  return evidence === 'none' || evidence === 'content'
}

const MAX_FORM_CHARS = 500
const MIN_FIELDS = 3
const MAX_FIELD_CHARS = 300

/** A form to fill in, not one that the software of a site puts around a whole page. */
function isQuestionnaire(tree: HtmlTree, form: HtmlNode, all: TextMeasure): boolean {
  let fields = 0
  for (let i = form.index + 1; i < form.end; i++) if (isField(tree.nodes[i])) fields++
  return fields >= MIN_FIELDS && all.chars[form.index] < fields * MAX_FIELD_CHARS
}

function isField({ tag, attributes }: HtmlNode): boolean {
  if (tag === 'input') return /^(?:|text|email|tel|number|url|date)$/i.test(attributes.type ?? '')
  return tag === 'select' || tag === 'textarea'
}

function isChrome(
  tree: HtmlTree,
  node: HtmlNode,
  all: TextMeasure,
  insideArticle: boolean,
  options: DropOptions,
): boolean {
  const chars = all.chars[node.index]
  if (isMachineValue(tree, node, chars)) return true
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
      return chars < MAX_FORM_CHARS || isQuestionnaire(tree, node, all)
  }
  const evidence = evidenceOf(node)
  // `<article class="with-left-sidebar">` says how it looks; what it is the element says.
  if (node.tag === 'article' && evidence === 'chrome') return all.prose[node.index] === 0
  // Panels of prose that unfold, not a strip of tabs.
  if (node.attributes.role === 'tablist' && all.prose[node.index] > 0) return false
  // Inside a sentence a name like "textTag" is styling, not structure.
  const isPart = !node.kind.isBlock && chars < all.chars[node.parent!.index] * 0.9
  if (isPart) return evidence === 'chrome' && node.tag !== 'a'
  if (options.forum && (isAboutPoster(node) || isForumNotice(node))) return true
  if (!options.lenient && !options.forum && isListOfPosts(node)) return true
  if (evidence === 'weak-chrome' && isRating(node) && chars < MAX_RATING_CHARS) return true
  switch (evidence) {
    case 'chrome':
      if (all.prose[node.index] === 0) return true
      if (isMisleading(node, options.misleading)) return false
      options.found.named.push(node)
      return true
    case 'comments':
      if (!options.comments) options.found.comments.push(node)
      return !options.comments
    case 'weak-chrome':
      if (insideArticle && chars < MAX_ABOUT_AUTHOR_CHARS && isAboutAuthor(node)) return true
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
