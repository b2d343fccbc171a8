/** Elements without content or end tag (HTML 13.1.2). */
export const voidElements = new Set(
  'area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr'.split(' '),
)

/** Elements that start a new line of their own when rendered, so text on either side never joins. */
export const blockElements = new Set(
  (
    'address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li listing main menu nav noscript ol optgroup ' +
    'option p plaintext pre search section select summary table tbody td template tfoot th thead title tr ul xmp'
  ).split(' '),
)

/** Start tags that end an open paragraph (HTML 13.2.6.4.7, "close a p element"). */
export const closesParagraph = new Set(
  (
    'address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 h3 h4 ' +
    'h5 h6 header hgroup hr li listing main menu nav ol p plaintext pre search section summary table ul xmp'
  ).split(' '),
)

export const headingElements = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6'])

/** What may stand in `<head>`; any other start tag ends it. */
export const headElements = new Set('base basefont bgsound link meta noscript script style template title'.split(' '))

/** Elements whose text a reader never sees. */
export const unseenElements = new Set(
  (
    'applet area audio base canvas datalist embed frame frameset head iframe link map meta noembed noframes object param ' +
    'rp script source style svg template textarea title track video'
  ).split(' '),
)

/** Start tags that an end tag of an ordinary element can't reach across (HTML 13.2.4.2, "has an element in scope"). */
export const scopeBarriers = new Set('caption html object table td template th'.split(' '))

export const tableParts = new Set('caption col colgroup table tbody td tfoot th thead tr'.split(' '))

/** Elements whose text is taken as it stands, entities and tags included (HTML 13.2.5.3 and 13.2.5.5). */
export const rawTextElements = new Set('iframe noembed noframes plaintext script style xmp'.split(' '))

const inlineElements =
  'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark math nobr output picture progress ' +
  'q rb rt ruby s samp small span strike strong sub sup svg path g use time tt u var'
const tags = new Map(
  [voidElements, blockElements, headElements, unseenElements, tableParts, rawTextElements, inlineElements.split(' ')]
    .flatMap(names => [...names])
    .map(name => [name, name]),
)

/** A tag's name in lower case; one string for each known name, since two that differ in place are slower to compare. */
export function knownTag(written: string): string {
  const known = tags.get(written)
  if (known !== undefined) return known
  const lower = written.toLowerCase()
  return tags.get(lower) ?? lower
}
