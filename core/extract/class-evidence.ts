import type { ElementName, Evidence, WordGroup } from './element-name.ts'
import type { Attributes, HtmlNode, HtmlTree } from './html-tree.ts'

const set = (words: string) => new Set(words.split(' '))

/** Words that on their own name something around the content. */
const chromeWords = set(
  'ad ads advert adverts advertise advertisement advertisements advertising adsense adsbygoogle adslot adunit adbox ' +
    'breadcrumb breadcrumbs cookie cookies cookiebanner cookieconsent consent gdpr ccpa onetrust ' +
    'footer foot sitefooter pagefooter colophon masthead navbar navigation nav navi navigationbar topnav subnav sidenav ' +
    'megamenu menu menus submenu dropdown offcanvas hamburger sidebar sidebars sidebar1 sidebar2 rightbar leftbar ' +
    'share sharing shares sharebar sharebuttons sharedaddy sharethis addthis addtoany socialshare social socials ' +
    'socialmedia socialicons related relatedposts recommended recommendation recommendations recirc recirculation ' +
    'newsletter newsletters subscribe subscription signup optin mailchimp promo promos promobox promotion sponsor sponsored ' +
    'sponsors popup popups modal modals lightbox overlay interstitial pagination pager paginator pagenav postnav ' +
    'outbrain taboola disqus zergnet skiplink skip skipnav toolbar paywall regwall jp-relatedposts login signin ' +
    'backtotop scrolltop screenreader printonly noprint whatsapp flyout alert-bar announcement-bar searchform searchbox',
)

/** Words that name something around the content only when there is little or mostly links in it. */
const weakWords = set(
  'header head banner bottom top tags tag taglist categories category meta postmeta entrymeta byline author authors bio ' +
    'about aside teaser teasers more readmore popular trending latest recent widget widgets tools actions action ' +
    'controls buttons button btn toc contents copyright legal disclaimer print rating ratings vote votes stats ' +
    'rail right left secondary complementary links linklist extra notice alert info infobar poll survey cta ' +
    'follow contact search filter filters facets sort sorting language languages locale account cart basket wishlist ' +
    'topics topic next prev previous navlinks caption credit credits timestamp dateline date reactions reply',
)

const commentWords = set(
  'comment comments commentlist commentslist respond responses discussion disqus replies livefyre',
)

const contentWords = set(
  'article articlebody content contents body entry post story text main page hentry blog column prose markdown ' +
    'description product detail details',
)

/** Joined names that leave no doubt. */
const contentNames = set(
  'articlebody article-body article__body article-content article__content articlecontent article-text articletext ' +
    'entry-content entrycontent entry__content post-content postcontent post__content post-body postbody post_body ' +
    'story-body storybody story-content story__body td-post-content single-content blog-content page-content ' +
    'content-body content__body content-text body-text bodytext body-content main-content maincontent maintext ' +
    'rich-text richtext rte prose markdown-body mw-parser-output field-name-body field--name-body theme-doc-markdown ' +
    'rst-content post_text posttext artikeltext artikel-text article_text article_body articlecopy',
)

const sidelineWords = set('comment comments commentlist respond related recommended')
const doubtfulWords = set(
  'sidebar footer popular trending latest recent teaser carousel slider copyright more menu nav',
)
const [CHROME, WEAK, COMMENTS, CONTENT, SIDELINE, DOUBTFUL, BREADCRUMBS, CONTENT_NAME] = [1, 2, 4, 8, 16, 32, 64, 128]

/** What each word may mean, all at once. */
const meanings = new Map<string, number>()
for (const [words, meaning] of [
  [chromeWords, CHROME],
  [weakWords, WEAK],
  [commentWords, COMMENTS],
  [contentWords, CONTENT],
  [sidelineWords, SIDELINE],
  [doubtfulWords, DOUBTFUL],
  [set('breadcrumb breadcrumbs'), BREADCRUMBS],
] as const) {
  for (const word of words) meanings.set(word, (meanings.get(word) ?? 0) | meaning)
}

const neverSidelines = set('html body main time')
/** On a page of some size, what holds more of it than this is no sideline, whatever it is called. */
const MAX_SIDELINE_SHARE = 0.5
const MIN_SIZE = 200

/**
 * Marks, by node index, what stands in comments, related stories, sidebars or page footers: dates and names there belong
 * to something else. 2 for certain, 1 where only a doubtful name says so. One pass.
 */
export function findSidelines(tree: HtmlTree): Uint8Array {
  const sideline = new Uint8Array(tree.nodes.length)
  const most = Math.max(MIN_SIZE, tree.nodes.length * MAX_SIDELINE_SHARE)
  const main = tree.nodes.find(({ tag, attributes }) => tag === 'main' || attributes.role === 'main')?.index ?? 0
  for (let i = 1; i < tree.nodes.length; i++) {
    const node = tree.nodes[i]
    const parent = node.parent!
    sideline[i] = sideline[parent.index]
    if (sideline[i] === 2 || node.tag === '' || node.end - i > most) continue
    // `content-sidebar-wrap` is the box of both.
    if (i < main && main < node.end) continue
    if (node.tag === 'aside' || node.tag === 'nav' || (node.tag === 'footer' && parent.tag !== 'article'))
      sideline[i] = 2
    else if (!neverSidelines.has(node.tag)) sideline[i] = Math.max(sideline[i], nameOf(node).sideline)
  }
  return sideline
}

/** Pages repeat few names on many elements, and the pages of a site the same ones. */
const MAX_REMEMBERED = 20_000
const MAX_NAME_CHARS = 300
const remembered = new Map<string, ElementName>()
const noName: ElementName = {
  words: [],
  evidence: 'none',
  isContentName: false,
  sideline: 0,
  isBreadcrumbs: false,
  asked: 0,
  answers: 0,
}

function nameOf(node: HtmlNode): ElementName {
  node.name ??= nameOfAttributes(node.attributes)
  return node.name
}

function nameOfAttributes({ class: classes, id }: Attributes): ElementName {
  if (classes === undefined && id === undefined) return noName
  // Most elements have a class alone: it is the key as it stands, without a copy.
  const written = id === undefined ? (classes ?? '') : `${classes ?? ''} ${id}`
  const names = written.length > MAX_NAME_CHARS ? written.slice(0, MAX_NAME_CHARS) : written
  let name = remembered.get(names)
  if (name === undefined) {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    // A part of a page's source would hold all of it; of two joined strings a part holds these alone.
    const copy = ` ${names}`.slice(1)
    name = readNames(copy)
    remembered.set(copy, name)
  }
  return name
}

const [SPACE, HYPHEN, LOW_LINE] = [0x20, 0x2d, 0x5f]
/** What a name that begins so stands beside or lacks: `has-sidebar`, `hide-ad`. */
const lacking = set('has hide no not with without')

/** In one pass: splits at all but ASCII letters and digits, and where a small letter is followed by a capital. */
function readNames(names: string): ElementName {
  const lowered = names.toLowerCase()
  // A dotted capital I becomes two characters.
  const lower = lowered.length === names.length ? lowered : names
  const words: string[] = []
  let found = 0
  let nameStart = 0
  let wordStart = 0
  let wasSmall = false
  let isLacking = false
  for (let i = 0; i <= names.length; i++) {
    const code = i < names.length ? names.charCodeAt(i) : SPACE
    const isSmall = code >= 0x61 && code <= 0x7a
    const isCapital = code >= 0x41 && code <= 0x5a
    const isPart = isSmall || isCapital || (code >= 0x30 && code <= 0x39)
    if (isPart && !(isCapital && wasSmall)) {
      wasSmall = isSmall
      continue
    }
    if (i > wordStart && !isLacking) {
      const word = lower.slice(wordStart, i)
      isLacking = wordStart === nameStart && (code === HYPHEN || code === LOW_LINE) && lacking.has(word)
      if (!isLacking) {
        words.push(word)
        found |= meanings.get(word) ?? 0
      }
    }
    if (code <= SPACE) {
      if (i > nameStart && contentNames.has(lower.slice(nameStart, i))) found |= CONTENT_NAME
      nameStart = i + 1
      isLacking = false
    }
    wordStart = isPart ? i : i + 1
    wasSmall = isSmall
  }
  return {
    words,
    evidence: evidenceOfMeanings(found),
    isContentName: (found & CONTENT_NAME) !== 0,
    sideline: found & SIDELINE ? 2 : found & DOUBTFUL ? 1 : 0,
    isBreadcrumbs: (found & BREADCRUMBS) !== 0,
    asked: 0,
    answers: 0,
  }
}

/** The words in an element's class and id: `relatedPosts main_nav` is `related posts main nav`. Reads 300 characters. */
export function nameWords(node: HtmlNode): readonly string[] {
  return nameOf(node).words
}

/** Whether one of the words in an element's class and id is of a group. */
export function isNamed(node: HtmlNode, group: WordGroup): boolean {
  return group.isIn(nameOf(node))
}

export function isBreadcrumbsName(node: HtmlNode): boolean {
  return nameOf(node).isBreadcrumbs
}

export function isContentName(node: HtmlNode): boolean {
  const { itemprop } = node.attributes
  return (itemprop !== undefined && /\b(?:articleBody|blogPost|text)\b/.test(itemprop)) || nameOf(node).isContentName
}

const chromeRoles = set(
  'navigation banner contentinfo complementary search dialog alert alertdialog menu menubar toolbar tooltip tablist ' +
    'status progressbar',
)

export function evidenceOf(node: HtmlNode): Evidence {
  const { role, itemprop } = node.attributes
  if (role !== undefined && chromeRoles.has(role)) return 'chrome'
  return itemprop !== undefined && isContentName(node) ? 'content' : nameOf(node).evidence
}

function evidenceOfMeanings(found: number): Evidence {
  if (found & CONTENT_NAME) return 'content'
  if (found & CHROME) return 'chrome'
  if (found & COMMENTS) return 'comments'
  if (found & WEAK) return 'weak-chrome'
  return found & CONTENT ? 'content' : 'none'
}
