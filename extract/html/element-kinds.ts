/** Elements that have neither content nor an end tag (HTML 13.1.2). */
const voidElements = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
)

/** Elements on lines of their own. Text before and after them is never joined. */
const blockElements = new Set(
  (
    'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer foreignobject form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav noscript ol optgroup ' +
    'option p plaintext pre search section select summary table tbody td template text tfoot th thead title tr ul xmp'
  ).split(' '),
)

/** Start tags that end an open paragraph (HTML 13.2.6.4.7, "close a p element"). */
const closesParagraph = new Set(
  (
    'address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp'
  ).split(' '),
)

const headingElements = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** Elements that may be in `<head>`. Any other start tag ends the head. */
const headElements = new Set('base basefont bgsound link meta noscript script style template title'.split(' '))

/** Elements whose content browsers do not show as text. */
const unseenElements = new Set(
  (
    'applet area audio base canvas datalist defs desc embed frame frameset head iframe link map meta noembed noframes object param ' +
    'rp script source style svg template textarea title track video'
  ).split(' '),
)

/** Elements that are barriers: an end tag inside them does not close elements outside (HTML 13.2.4.2, "has an element in scope"). */
const scopeBarriers = new Set('caption html object table td template th'.split(' '))

const tableParts = new Set('caption col colgroup table tbody td tfoot th thead tr'.split(' '))

/** Elements in whose text tags and entities have no meaning (HTML 13.2.5.3 and 13.2.5.5). */
const rawTextElements = new Set('iframe noembed noframes plaintext script style xmp'.split(' '))

/** Elements of HTML, and some of SVG, that are in none of the sets above. */
const inlineElements =
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math nobr output picture progress ' +
  'q rb rt rtc ruby s samp small span strike strong sub sup svg path g use time tt u var'

interface ImpliedEnds {
  items: readonly string[]
  containers: ReadonlySet<string>
}

/** For each start tag, the open elements that it closes, unless a container is in between (HTML 13.2.6.4.7 ff.). */
const impliedEnds = new Map<string, ImpliedEnds>()
const impliedEndRows: readonly [tags: string[], items: string[], containers: string[]][] = [
  [['li'], ['li'], ['ul', 'ol', 'menu', 'dir']],
  [['dd', 'dt'], ['dd', 'dt'], ['dl']],
  [['tr'], ['tr'], ['table']],
  [
    ['td', 'th'],
    ['td', 'th'],
    ['tr', 'table'],
  ],
  [['tbody', 'thead', 'tfoot'], ['tbody', 'thead', 'tfoot'], ['table']],
  [
    ['rt', 'rp'],
    ['rt', 'rp', 'rb'],
    ['ruby', 'rtc'],
  ],
  [['rb', 'rtc'], ['rt', 'rp', 'rb', 'rtc'], ['ruby']],
  [['option', 'optgroup'], ['option'], ['select', 'datalist', 'optgroup']],
  [['a'], ['a'], [...blockElements]],
]
for (const [tags, items, containers] of impliedEndRows) {
  for (const tag of tags) impliedEnds.set(tag, { items, containers: new Set(containers) })
}

/** The properties of a tag in HTML. There is one object for each tag. */
export class ElementKind {
  /** Tag name in lower case. '' for text and for tags that HTML does not define. */
  readonly tag: string
  readonly isVoid: boolean
  readonly isBlock: boolean
  readonly isHeading: boolean
  /** True if browsers do not show the element's content as text. */
  readonly isUnseen: boolean
  /** True if the start tag closes an open `<p>`. */
  readonly closesParagraph: boolean
  /** True if the element may be in `<head>`. */
  readonly isOfHead: boolean
  /** True if an end tag inside the element cannot close elements outside. */
  readonly isBarrier: boolean
  readonly isTablePart: boolean
  readonly isRawText: boolean
  /** True for SVG and MathML, which have other parsing rules. */
  readonly isForeign: boolean
  readonly impliedEnds: ImpliedEnds | undefined

  constructor(tag: string) {
    this.tag = tag
    this.isVoid = voidElements.has(tag)
    this.isBlock = blockElements.has(tag)
    this.isHeading = headingElements.has(tag)
    this.isUnseen = unseenElements.has(tag)
    this.closesParagraph = closesParagraph.has(tag)
    this.isOfHead = headElements.has(tag)
    this.isBarrier = scopeBarriers.has(tag)
    this.isTablePart = tableParts.has(tag)
    this.isRawText = rawTextElements.has(tag)
    this.isForeign = tag === 'svg' || tag === 'math'
    this.impliedEnds = impliedEnds.get(tag)
  }
}

/** The kind of text nodes, and of elements that HTML does not define. */
export const noKind = new ElementKind('')

const kinds = new Map(
  [voidElements, blockElements, headElements, unseenElements, tableParts, rawTextElements, inlineElements.split(' ')]
    .flatMap(names => [...names])
    .map(name => [name, new ElementKind(name)]),
)

/** @param tag - tag name in lower case. */
export function kindOf(tag: string): ElementKind {
  return kinds.get(tag) ?? noKind
}
