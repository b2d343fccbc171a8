import { evidenceOf, isNamed, nameWords } from '../html/class-evidence.ts'
import { findByTag } from '../html/element-index.ts'
import { WordGroup } from '../html/element-name.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import { isSentenceButton } from '../html/sentence-button.ts'
import type { TextMeasure } from '../html/text-measure.ts'
import { MIN_ARTICLE_PROSE } from './article.ts'
import { type CodeMeasure, isCode, measureCode } from './code-parts.ts'
import { ruleNumber } from './dropping-rules.ts'
import { type DroppedBoxes, isDiscussion, isMisleading, misleadingWords, noWords } from './misleading-names.ts'

/**
 * Maximum share of the page's text or prose in an element of chrome (navigation, footers and the like). The first limit
 * is for elements with a tag for chrome, the second for those with only a name.
 */
const MAX_TAGGED_SHARE = 0.7
const MAX_NAMED_SHARE = 0.4
/**
 * An element with an ambiguous name is chrome if it has no prose and is shorter than this. It is also chrome if its
 * share of links exceeds `MAX_LINK_SHARE`.
 */
const MAX_WEAK_CHARS = 400
/**
 * Maximum share of links in a header inside an article, and in an element with an ambiguous name. With more links it is
 * navigation.
 */
const MAX_LINK_SHARE = 0.5
/** An inline element with at most this share of the text of its parent counts as part of a sentence. */
const MAX_PART_SHARE = 0.9

const [MACHINE_VALUES, CONTROLS, NOTICES, NAVIGATION, NAMES, COMMENTS, TEASERS, AUTHOR_NOTES] = [
  ruleNumber('machine values'),
  ruleNumber('controls'),
  ruleNumber('forum notices'),
  ruleNumber('navigation'),
  ruleNumber('names of navigation'),
  ruleNumber('comments'),
  ruleNumber('teasers'),
  ruleNumber('author notes'),
]

const controlTags = new Set(['button', 'dialog', 'input', 'optgroup', 'option', 'select', 'textarea'])
const chromeTags = new Set(['nav', 'footer', 'header', 'aside', 'menu'])
const alwaysKept = new Set(['#root', 'html', 'body', 'main', 'table', 'tbody', 'thead', 'tr', 'td', 'th'])

export interface ChromeOptions {
  /** True if the page is a thread of posts. */
  isForum: boolean
  /** True if comments are content. */
  keepsComments: boolean
  /** True if ambiguous names are ignored. */
  isLenient: boolean
}

/**
 * Drops the chrome of a page: navigation, footers, controls, advertisements, and elements with names for these. If a
 * word in names would drop most of the page, starts over and ignores the word. In code, only controls are dropped.
 *
 * @param unseen - for each node, not 0 if it is dropped already.
 * @returns for each node, the number of the rule that dropped it before or drops it as chrome; 0 if none does.
 */
export function dropChrome(tree: HtmlTree, unseen: Uint8Array, all: TextMeasure, options: ChromeOptions): Uint8Array {
  const found: DroppedBoxes = { named: [], comments: [] }
  const code = measureCode(tree, all)
  const dropped = dropOnce(tree, unseen, all, { ...options, misleading: noWords, found, code })
  const misleading = misleadingWords(found.named, all)
  const keepsComments = options.keepsComments || isDiscussion(found.comments, all)
  if (misleading.size === 0 && keepsComments === options.keepsComments) return dropped
  return dropOnce(tree, unseen, all, {
    ...options,
    keepsComments,
    misleading,
    found: { named: [], comments: [] },
    code,
  })
}

interface DropOptions extends ChromeOptions {
  /** Words in classes and ids to ignore, because they would drop most of the page's prose. */
  misleading: ReadonlySet<string>
  /** Receives the elements that are dropped because of their names. */
  found: DroppedBoxes
  code: CodeMeasure
}

function dropOnce(tree: HtmlTree, unseen: Uint8Array, all: TextMeasure, options: DropOptions): Uint8Array {
  const { nodes } = tree
  const dropped = unseen.slice()
  const total = all.chars[0]!
  const totalProse = all.prose[0]!
  const insideArticle = new Uint8Array(nodes.length)
  const headings = findByTag(tree, 'h1').slice(0, MAX_HEADINGS)
  for (let i = 1; i < nodes.length; i++) {
    if (dropped[i]) {
      i = nodes[i]!.end - 1
      continue
    }
    const node = nodes[i]!
    if (node.tag === '') continue
    insideArticle[i] = insideArticle[node.parent!.index]! | Number(node.tag === 'article' || node.tag === 'main')
    if (isCode(node)) {
      dropControls(tree, node, dropped)
      i = node.end - 1
      continue
    }
    if (alwaysKept.has(node.tag)) continue
    if (node.kind.isHeading && !(options.isForum && isAboutPoster(node))) continue
    const chars = all.chars[i]!
    // Names may be misleading, but tags for chrome are rarely used for content. So a larger element may be dropped for
    // its tag.
    const most = chromeTags.has(node.tag) ? MAX_TAGGED_SHARE : MAX_NAMED_SHARE
    const isBulk = chars > total * most || (totalProse > 0 && all.prose[i]! > totalProse * most)
    const big = isBulk && !isBesideArticle(all, node, headings)
    if (controlTags.has(node.tag))
      dropped[i] = big || isHeadingButton(node) || isSentenceButton(tree, node) ? 0 : CONTROLS
    else if (!big) dropped[i] = chromeRule(tree, node, all, insideArticle[i] === 1, options)
    if (dropped[i]) i = node.end - 1
  }
  return dropped
}

/** Drops the controls in a listing of code, such as a button that copies it. */
function dropControls(tree: HtmlTree, code: HtmlNode, dropped: Uint8Array): void {
  for (let i = code.index + 1; i < code.end; i++) {
    if (!dropped[i] && controlTags.has(tree.nodes[i]!.tag)) dropped[i] = CONTROLS
    if (dropped[i]) i = tree.nodes[i]!.end - 1
  }
}

const MAX_HEADINGS = 10

/**
 * True if the article is beside the box: an element next to it has prose and a heading of level 1, and the box has
 * none.
 */
function isBesideArticle(all: TextMeasure, box: HtmlNode, headings: readonly HtmlNode[]): boolean {
  let isBeside = false
  for (const heading of headings) {
    if (all.chars[heading.index] === 0) continue
    if (heading.index >= box.index && heading.index < box.end) return false
    let branch = heading
    while (branch.parent && !(branch.parent.index <= box.index && box.index < branch.parent.end)) branch = branch.parent
    isBeside ||= all.prose[branch.index]! >= MIN_ARTICLE_PROSE
  }
  return isBeside
}

/** True for a button in the heading of a part that readers can unfold. */
function isHeadingButton({ tag, parent }: HtmlNode): boolean {
  if (tag !== 'button' || !parent) return false
  return parent.kind.isHeading || parent.parent?.kind.isHeading === true || parent.tag === 'dt'
}

/**
 * True for a link from a heading to itself, such as `¶`, which documentation generators write; and for the links that edit a section of a
 * wiki page.
 */
function isHeadingTool(tree: HtmlTree, node: HtmlNode): boolean {
  if (node.tag === 'span') return isNamed(node, editWords)
  if (node.tag !== 'a' || node.attributes.href?.startsWith('#') !== true || node.end - node.index > MAX_TOOL_NODES)
    return false
  const text = textOf(tree, node, MAX_TOOL_NODES).trim()
  if (text === '¶') return true
  if (!/^[#§🔗⚓∞]?\uFE0F?$/u.test(text)) return false
  const { parent } = node
  return parent?.kind.isHeading === true || parent?.parent?.kind.isHeading === true || parent?.tag === 'dt'
}

const editWords = new WordGroup('editsection')
const MAX_TOOL_NODES = 10

/** True for an aside that mostly quotes another text, as in forums. */
function isQuotation({ nodes }: HtmlTree, aside: HtmlNode, all: TextMeasure): boolean {
  for (let i = aside.index + 1; i < aside.end; i++)
    if (nodes[i]!.tag === 'blockquote') return all.chars[i]! > all.chars[aside.index]! * MIN_QUOTED_SHARE
  return false
}

const MIN_QUOTED_SHARE = 0.5

/**
 * Minimum text of an aside that belongs to the article, such as a list of ingredients, and maximum share of links in
 * it.
 */
const MIN_ASIDE_CHARS = 200
const MAX_ASIDE_LINKS = 0.2

/** True for the box about the author below an article. */
function isAboutAuthor(node: HtmlNode): boolean {
  return isNamed(node, authorWords) && isNamed(node, aboutWords)
}

const MAX_ABOUT_AUTHOR_CHARS = 1500
const authorWords = new WordGroup('author authors')
const aboutWords = new WordGroup('bio box card description about profile biography')

/**
 * True for the facts about a poster that forums show beside each post: rank, joining date, number of posts, signature.
 */
function isAboutPoster(node: HtmlNode): boolean {
  return isNamed(node, posterWords) || (isNamed(node, userWords) && isNamed(node, aboutUserWords))
}

const posterWords = new WordGroup(
  'postprofile signature userextras usertitle userstats userdetails userbanner posterinfo',
)
const userWords = new WordGroup('user')
const aboutUserWords = new WordGroup('extras title banner stats details info')

/** True for the notices of a forum, vote counts, and the time of a post's last edit. */
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

/** True for a list of other posts below a blog post. */
function isListOfPosts(node: HtmlNode): boolean {
  return isNamed(node, postsWords) && isNamed(node, listWords)
}

const MAX_RATING_CHARS = 100
const ratingWords = new WordGroup('rating ratings')

/** True for a rating in stars. Structured data has the rating too. */
function isRating(node: HtmlNode): boolean {
  return isNamed(node, ratingWords)
}

/** True if the name of an element says nothing against content. */
function isPlain(node: HtmlNode): boolean {
  const evidence = evidenceOf(node)
  return evidence === 'none' || evidence === 'content'
}

const MAX_FORM_CHARS = 500
const MIN_FIELDS = 3
const MAX_FIELD_CHARS = 300

/** True for a form that readers fill in, but not for a form that some frameworks put around the whole page. */
function isQuestionnaire(tree: HtmlTree, form: HtmlNode, all: TextMeasure): boolean {
  let fields = 0
  for (let i = form.index + 1; i < form.end; i++) if (isField(tree.nodes[i]!)) fields++
  return fields >= MIN_FIELDS && all.chars[form.index]! < fields * MAX_FIELD_CHARS
}

function isField({ tag, attributes }: HtmlNode): boolean {
  if (tag === 'input') return /^(?:|text|email|tel|number|url|date)$/i.test(attributes.type ?? '')
  return tag === 'select' || tag === 'textarea'
}

/** Returns the number of the rule by which an element is chrome; 0 if it is content. */
function chromeRule(
  tree: HtmlTree,
  node: HtmlNode,
  all: TextMeasure,
  insideArticle: boolean,
  options: DropOptions,
): number {
  const chars = all.chars[node.index]!
  if (isMachineValue(tree, node, chars)) return MACHINE_VALUES
  if (isHeadingTool(tree, node)) return CONTROLS
  const density = chars > 0 ? all.linkChars[node.index]! / chars : 0
  switch (node.tag) {
    case 'nav':
    case 'footer':
    case 'search':
      return NAVIGATION
    case 'menu':
      return !insideArticle || density > MAX_LINK_SHARE ? NAVIGATION : 0
    case 'aside': {
      if (isQuotation(tree, node, all)) return 0
      const isContent = insideArticle && chars >= MIN_ASIDE_CHARS && density < MAX_ASIDE_LINKS && isPlain(node)
      return isContent ? 0 : NAVIGATION
    }
    case 'header':
      return !insideArticle || density > MAX_LINK_SHARE ? NAVIGATION : 0
    case 'form':
      return chars < MAX_FORM_CHARS || isQuestionnaire(tree, node, all) ? CONTROLS : 0
  }
  // The names of a box around code, such as "toolbar", are about how the code is shown.
  if (options.code.isMostlyCode(node)) return 0
  return ruleOfName(node, all, { chars, density, insideArticle }, options)
}

/** Returns the number of the rule by which the names of an element make it chrome; 0 if they do not. */
function ruleOfName(
  node: HtmlNode,
  all: TextMeasure,
  { chars, density, insideArticle }: { chars: number; density: number; insideArticle: boolean },
  options: DropOptions,
): number {
  const evidence = evidenceOf(node)
  // The class of `<article class="with-left-sidebar">` describes the layout. The tag says more about the meaning.
  if (node.tag === 'article' && evidence === 'chrome') return all.prose[node.index] === 0 ? NAMES : 0
  // A tab list with prose is a group of panels, not a strip of tabs.
  if (node.attributes.role === 'tablist' && all.prose[node.index]! > 0) return 0
  // Inside a sentence, a name such as "textTag" only serves for styling.
  const isPart = !node.kind.isBlock && chars < all.chars[node.parent!.index]! * MAX_PART_SHARE
  if (isPart) return evidence === 'chrome' && node.tag !== 'a' ? NAMES : 0
  if (options.isForum && (isAboutPoster(node) || isForumNotice(node))) return NOTICES
  if (!options.isLenient && !options.isForum && isListOfPosts(node)) return TEASERS
  if (evidence === 'weak-chrome' && isRating(node) && chars < MAX_RATING_CHARS) return MACHINE_VALUES
  switch (evidence) {
    case 'chrome':
      if (all.prose[node.index] === 0) return NAMES
      if (isMisleading(node, options.misleading)) return 0
      options.found.named.push(node)
      return NAMES
    case 'comments':
      if (options.keepsComments) return 0
      options.found.comments.push(node)
      return COMMENTS
    case 'weak-chrome': {
      if (insideArticle && chars < MAX_ABOUT_AUTHOR_CHARS && isAboutAuthor(node)) return AUTHOR_NOTES
      const isNavigation =
        !options.isLenient &&
        node.tag !== 'article' &&
        node.tag !== 'p' &&
        (density > MAX_LINK_SHARE || all.prose[node.index] === 0) &&
        chars < MAX_WEAK_CHARS
      return isNavigation ? NAMES : 0
    }
    default:
      return 0
  }
}

const MAX_VALUE_CHARS = 500
const MAX_VALUE_NODES = 30
const pictureAddress = /^https?:\/\/\S+$|https?:\/\/\S+\.(?:png|jpe?g|gif|svg|webp)(?:\s|\?|$)/i

/**
 * True if the text of a microdata element is not meant for readers, because it is a URL or contains the URL of an
 * image.
 */
function isMachineValue(tree: HtmlTree, node: HtmlNode, chars: number): boolean {
  if (!node.isMarked || node.attributes.itemprop === undefined || chars === 0 || chars > MAX_VALUE_CHARS) return false
  if (node.end - node.index > MAX_VALUE_NODES) return false
  if (!pictureAddress.test(textOf(tree, node, MAX_VALUE_CHARS))) return false
  for (let i = node.index; i < node.end; i++) if (tree.nodes[i]!.tag === 'a' || tree.nodes[i]!.tag === 'p') return false
  return true
}
