import { mainElements } from './element-index.ts'
import { type ElementName, type Evidence, groupsOf, WordGroup } from './element-name.ts'
import { isHidingClass } from './hiding-class.ts'
import { type Attributes, type HtmlNode, type HtmlTree, noAttributes } from './html-tree.ts'

const set = (words: string) => new Set(words.split(' '))

/** Words that on their own name something around the content. */
const chromeWords = new WordGroup(
  'ad ads advert adverts advertise advertisement advertisements advertising adsense adsbygoogle adslot adunit adbox ' +
    'breadcrumb breadcrumbs cookie cookies cookiebanner cookieconsent consent gdpr ccpa onetrust ' +
    'footer foot sitefooter pagefooter colophon masthead navbar navigation nav navi navigationbar topnav subnav sidenav ' +
    'megamenu menu menus submenu dropdown hamburger sidebar sidebars sidebar1 sidebar2 rightbar leftbar ' +
    'share sharing shares sharebar sharebuttons sharedaddy sharethis addthis addtoany socialshare social socials ' +
    'socialmedia socialicons related relatedposts recommended recommendation recommendations recirc recirculation ' +
    'newsletter newsletters subscribe subscription signup optin mailchimp promo promobox promotion sponsor sponsored ' +
    'sponsors popup popups modal modals lightbox interstitial pagination pager paginator pagenav postnav ' +
    'outbrain taboola disqus zergnet skiplink skipnav toolbar paywall regwall jp-relatedposts login signin ' +
    'backtotop scrolltop screenreader printonly noprint whatsapp flyout alert-bar announcement-bar searchform searchbox',
)

/** Words that name something around the content only when there is little or mostly links in it. */
const weakWords = new WordGroup(
  'header head banner bottom top tags tag taglist categories meta postmeta entrymeta byline author authors bio ' +
    'about teaser teasers more readmore popular trending latest recent widget widgets tools actions action ' +
    'controls buttons button btn toc contents copyright legal disclaimer print rating ratings vote votes stats ' +
    'rail right left secondary complementary links linklist extra notice alert info infobar poll survey cta ' +
    'follow contact search filter filters facets sort sorting language languages locale account cart basket wishlist ' +
    'topics topic next prev previous navlinks caption credit credits timestamp dateline date reactions reply',
)

const commentWords = new WordGroup(
  'comment comments commentlist commentslist commentlinks commentsection commentarea commentbox respond responses discussion ' +
    'disqus replies livefyre kommentar kommentare leserkommentare commentaire commentaires comentario comentarios commenti reacties',
)

const contentWords = new WordGroup(
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

const boilerplateWords = new WordGroup('comment comments commentlist respond related recommended')
const doubtfulWords = new WordGroup(
  'sidebar footer popular trending latest recent teaser carousel slider copyright more menu nav',
)
const breadcrumbWords = new WordGroup('breadcrumb breadcrumbs')

const neverBoilerplate = set('html body main time')
/** On a page of some size, what holds more of it than this is no boilerplate, whatever it is called. */
const MAX_BOILERPLATE_SHARE = 0.5
const MIN_SIZE = 200

/**
 * Marks, by node index, what stands in comments, related stories, sidebars or page footers: dates and names there belong
 * to something else. 2 for certain, 1 where only a doubtful name says so. One pass.
 */
export function findBoilerplate(tree: HtmlTree): Uint8Array {
  const boilerplate = new Uint8Array(tree.nodes.length)
  const most = Math.max(MIN_SIZE, tree.nodes.length * MAX_BOILERPLATE_SHARE)
  const main = mainElements(tree)[0]?.index ?? 0
  for (let i = 1; i < tree.nodes.length; i++) {
    const node = tree.nodes[i]
    const parent = node.parent!
    boilerplate[i] = boilerplate[parent.index]
    if (boilerplate[i] === 2 || node.tag === '' || node.end - i > most) continue
    // `content-sidebar-wrap` is the box of both.
    if (i < main && main < node.end) continue
    if (node.tag === 'aside' || node.tag === 'nav' || (node.tag === 'footer' && parent.tag !== 'article'))
      boilerplate[i] = 2
    else if (!neverBoilerplate.has(node.tag)) boilerplate[i] = Math.max(boilerplate[i], nameOf(node).boilerplate)
  }
  return boilerplate
}

/** Pages repeat few names on many elements, and the pages of a site the same ones. */
const MAX_REMEMBERED = 20_000
const MAX_NAME_CHARS = 300
const remembered = new Map<string, ElementName>()
const noName: ElementName = {
  written: '',
  words: [],
  groups: 0,
  evidence: 'none',
  isContentName: false,
  boilerplate: 0,
  isHiding: false,
}

/** What the class and id of an element say, of which 300 characters are read. */
export function nameOf(node: HtmlNode): ElementName {
  node.name ??= node.attributes === noAttributes ? noName : nameOfAttributes(node.attributes)
  return node.name
}

function nameOfAttributes({ class: classes, id }: Attributes): ElementName {
  if (classes === undefined && id === undefined) return noName
  // Most elements have a class alone: it is the key as it stands, without a copy.
  const written = id === undefined ? classes : `${classes ?? ''}${CLASS_END}${id}`
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

/** Between class and id: no page has a NUL. */
const CLASS_END = '\0'
const [SPACE, HYPHEN, LOW_LINE] = [0x20, 0x2d, 0x5f]
/** What a name that begins so stands beside or lacks: `has-sidebar`, `hide-ad`. */
const lacking = set('has hide no not with without')

function readNames(written: string): ElementName {
  const found = { groups: 0, isContentName: false }
  forEachWord(written, {
    word: word => {
      found.groups |= groupsOf(word)
    },
    name: name => {
      if (contentNames.has(name)) found.isContentName = true
    },
  })
  const classEnd = written.indexOf(CLASS_END)
  return {
    written,
    words: undefined,
    groups: found.groups,
    evidence: evidenceOfWords(found),
    isContentName: found.isContentName,
    boilerplate: boilerplateWords.isIn(found) ? 2 : doubtfulWords.isIn(found) ? 1 : 0,
    isHiding: isHidingClass(classEnd < 0 ? written : written.slice(0, classEnd)),
  }
}

/**
 * Calls back with the words of a class and id, and with the names that they make up, all in lower case. In one pass:
 * splits at all but ASCII letters and digits, and where a small letter is followed by a capital.
 */
function forEachWord(written: string, { word: onWord, name: onName }: Readers): void {
  const lowered = written.toLowerCase()
  // A dotted capital I becomes two characters.
  const lower = lowered.length === written.length ? lowered : written
  let nameStart = 0
  let wordStart = 0
  let wasSmall = false
  let isLacking = false
  for (let i = 0; i <= written.length; i++) {
    const code = i < written.length ? written.charCodeAt(i) : SPACE
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
      if (!isLacking) onWord(word)
    }
    if (code <= SPACE) {
      if (i > nameStart) onName(lower.slice(nameStart, i))
      nameStart = i + 1
      isLacking = false
    }
    wordStart = isPart ? i : i + 1
    wasSmall = isSmall
  }
}

interface Readers {
  word: (word: string) => void
  name: (name: string) => void
}

/** The words in an element's class and id: `relatedPosts main_nav` is `related posts main nav`. Reads 300 characters. */
export function nameWords(node: HtmlNode): readonly string[] {
  const name = nameOf(node)
  if (name.words === undefined) {
    const words: string[] = []
    forEachWord(name.written, { word: word => words.push(word), name: () => {} })
    name.words = words
  }
  return name.words
}

/** Whether one of the words in an element's class and id is of a group. */
export function isNamed(node: HtmlNode, group: WordGroup): boolean {
  return group.isIn(nameOf(node))
}

export function isBreadcrumbsName(node: HtmlNode): boolean {
  return breadcrumbWords.isIn(nameOf(node))
}

export function isContentName(node: HtmlNode): boolean {
  const itemprop = node.isMarked ? node.attributes.itemprop : undefined
  return (itemprop !== undefined && /\b(?:articleBody|blogPost|text)\b/.test(itemprop)) || nameOf(node).isContentName
}

/** Whether a word alone names something around the content. */
export function isChromeWord(word: string): boolean {
  return chromeWords.isIn({ groups: groupsOf(word) })
}

const chromeRoles = set(
  'navigation banner contentinfo complementary search dialog alert alertdialog menu menubar toolbar tooltip tablist ' +
    'status progressbar',
)

export function evidenceOf(node: HtmlNode): Evidence {
  if (!node.isMarked) return nameOf(node).evidence
  const { role, itemprop } = node.attributes
  if (role !== undefined && chromeRoles.has(role)) return 'chrome'
  return itemprop !== undefined && isContentName(node) ? 'content' : nameOf(node).evidence
}

function evidenceOfWords(found: Pick<ElementName, 'groups' | 'isContentName'>): Evidence {
  if (found.isContentName) return 'content'
  if (chromeWords.isIn(found)) return 'chrome'
  if (commentWords.isIn(found)) return 'comments'
  if (weakWords.isIn(found)) return 'weak-chrome'
  return contentWords.isIn(found) ? 'content' : 'none'
}
