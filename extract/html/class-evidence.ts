import { mainElements } from './element-index.ts'
import { type ElementName, type Evidence, groupsOf, WordGroup } from './element-name.ts'
import { type Attributes, type HtmlNode, type HtmlTree, noAttributes } from './html-tree.ts'

const set = (words: string) => new Set(words.split(' '))

/** Words in a class or id that alone show that an element is no content. */
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

/** Words in a class or id that show that an element is no content, but only if the element has little text or mostly links. */
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

/** Complete class names and ids that only elements with content have. */
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
/** Maximum share of a page's nodes in boilerplate. A larger element is not boilerplate, whatever its name is. */
const MAX_BOILERPLATE_SHARE = 0.5
/** Number of nodes from which {@link MAX_BOILERPLATE_SHARE} applies. */
const MIN_SIZE = 200

/**
 * Finds comments, related stories, sidebars and page footers. Dates and names in them do not belong to the page.
 *
 * @returns for each node, 2 in such a part, 1 if only an ambiguous name shows it, otherwise 0.
 */
export function findBoilerplate(tree: HtmlTree): Uint8Array {
  const boilerplate = new Uint8Array(tree.nodes.length)
  const most = Math.max(MIN_SIZE, tree.nodes.length * MAX_BOILERPLATE_SHARE)
  const main = mainElements(tree)[0]?.index ?? 0
  for (let i = 1; i < tree.nodes.length; i++) {
    const node = tree.nodes[i]!
    const parent = node.parent!
    boilerplate[i] = boilerplate[parent.index]!
    if (boilerplate[i] === 2 || node.tag === '' || node.end - i > most) continue
    // An element such as `content-sidebar-wrap` contains the content as well as the sidebar.
    if (i < main && main < node.end) continue
    if (node.tag === 'aside' || node.tag === 'nav' || (node.tag === 'footer' && parent.tag !== 'article'))
      boilerplate[i] = 2
    else if (!neverBoilerplate.has(node.tag)) boilerplate[i] = Math.max(boilerplate[i]!, nameOf(node).boilerplate)
  }
  return boilerplate
}

/** Maximum number of cached names. A site uses few names for many elements. */
const MAX_CACHED_NAMES = 20_000
const MAX_NAME_CHARS = 300
const nameCache = new Map<string, ElementName>()
const noName: ElementName = {
  written: '',
  words: [],
  groups: 0,
  evidence: 'none',
  isContentName: false,
  boilerplate: 0,
  isHiding: false,
}

/** Returns what the first 300 characters of an element's class and id show. Cached. */
export function nameOf(node: HtmlNode): ElementName {
  node.name ??= node.attributes === noAttributes ? noName : nameOfAttributes(node.attributes)
  return node.name
}

function nameOfAttributes({ class: classes, id }: Attributes): ElementName {
  // Most elements have no id. Their class alone is then the key, and no string is built.
  const written = id === undefined ? classes : `${classes ?? ''}${CLASS_END}${id}`
  if (written === undefined) return noName
  const names = written.length > MAX_NAME_CHARS ? written.slice(0, MAX_NAME_CHARS) : written
  let name = nameCache.get(names)
  if (name === undefined) {
    if (nameCache.size >= MAX_CACHED_NAMES) nameCache.clear()
    // A slice of the page would keep the whole page in memory. A slice of a new string does not.
    const copy = ` ${names}`.slice(1)
    name = readNames(copy)
    nameCache.set(copy, name)
  }
  return name
}

/** Separates class and id in a key. A page contains no NUL character. */
const CLASS_END = '\0'
const [SPACE, HYPHEN, LOW_LINE] = [0x20, 0x2d, 0x5f]
/**
 * First words of a name that turn the meaning of the next word around, such as `has-sidebar` and `hide-ad`. The next
 * word is skipped.
 */
const skippingWords = set('has hide no not with without')

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
 * Calls back with each word of a class and id, and with each complete class name and id, all in lower case. Words
 * consist of ASCII letters and digits. A word also ends between a lower-case and an upper-case letter.
 */
function forEachWord(written: string, { word: onWord, name: onName }: WordCallbacks): void {
  const lowered = written.toLowerCase()
  // The lower case of a dotted capital I has two characters, which would shift the offsets.
  const lower = lowered.length === written.length ? lowered : written
  let nameStart = 0
  let wordStart = 0
  let wasLower = false
  let skipsNext = false
  for (let i = 0; i <= written.length; i++) {
    const code = i < written.length ? written.charCodeAt(i) : SPACE
    const isLower = code >= 0x61 && code <= 0x7a
    const isUpper = code >= 0x41 && code <= 0x5a
    const isPart = isLower || isUpper || (code >= 0x30 && code <= 0x39)
    if (isPart && !(isUpper && wasLower)) {
      wasLower = isLower
      continue
    }
    if (i > wordStart && !skipsNext) {
      const word = lower.slice(wordStart, i)
      skipsNext = wordStart === nameStart && (code === HYPHEN || code === LOW_LINE) && skippingWords.has(word)
      if (!skipsNext) onWord(word)
    }
    if (code <= SPACE) {
      if (i > nameStart) onName(lower.slice(nameStart, i))
      nameStart = i + 1
      skipsNext = false
    }
    wordStart = isPart ? i : i + 1
    wasLower = isLower
  }
}

interface WordCallbacks {
  word: (word: string) => void
  name: (name: string) => void
}

/**
 * Returns the words in the first 300 characters of an element's class and id, such as `related`, `posts`, `main` and
 * `nav` for `relatedPosts main_nav`.
 */
export function nameWords(node: HtmlNode): readonly string[] {
  const name = nameOf(node)
  if (name.words === undefined) {
    const words: string[] = []
    forEachWord(name.written, { word: word => words.push(word), name: () => {} })
    name.words = words
  }
  return name.words
}

/** True if the class or id of an element contains a word of the group. */
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

/** True for a word that alone shows that an element is no content. */
export function isChromeWord(word: string): boolean {
  return chromeWords.isIn({ groups: groupsOf(word) })
}

const chromeRoles = set(
  'navigation banner contentinfo complementary search dialog alert alertdialog menu menubar toolbar tooltip tablist ' +
    'status progressbar',
)

/** Returns what an element's role, microdata, class and id show. */
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

/** Matches classes for text that only screen readers read. */
const offScreen =
  /(?:^|\s)(?:sr-only|visually-?hidden|screen-reader-(?:text|only)|screenreader-only|offscreen|off-screen|a11y-hidden|u-hidden-visually|element-invisible)(?:\s|$)/i

/**
 * True if a class hides the element: a class for screen readers, or Bootstrap's `d-none` without another class that
 * shows the element on some screens, such as `d-md-block`.
 */
function isHidingClass(classes: string): boolean {
  return (
    offScreen.test(classes) || (/(?:^|\s)d-none(?:\s|$)/.test(classes) && !/(?:^|\s)(?:d-\w+-|\w+:d-)/.test(classes))
  )
}
