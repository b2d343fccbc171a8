import { clip } from '../characters/surrogates.ts'
import { findByAttribute, findByTag } from '../html/element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from '../html/html-tree.ts'
import type { StructuredItem } from '../page.ts'
import { isItem, typesOf } from '../structured/json-ld.ts'
import { firstMeta, type PageMetadata } from '../structured/page-metadata.ts'
import {
  type DayOrder,
  isCoarse,
  parseDeclaredDate,
  parseMachineDate,
  parseTextDate,
  parseUrlDate,
  type WrittenDate,
} from '../written-dates/date-text.ts'
import type { DateSearch } from './date-search.ts'
import { isWithin, type PublishedDate, withSource } from './published-date.ts'

/** Names of meta elements with publish dates, from vocabularies and common software, most trusted first. */
export const publishedMeta = (
  'article:published_time og:article:published_time article:published datepublished dc.date.issued dcterms.issued ' +
  'dc.issued citation_publication_date citation_online_date citation_date prism.publicationdate prism.coverdate ' +
  'bepress_citation_date eprints.date citation_year parsely-pub-date sailthru.date'
).split(' ')
/**
 * Names of meta elements in which some software writes the date of the last change. They are used only if the page
 * shows no date.
 */
export const vagueMeta =
  'dcterms.created dc.date.created dc.created dcterms.date dc.date dc:date dc:created article.created date created datecreated'.split(
    ' ',
  )

/** Matches names of meta elements and properties for a publish date. */
const publishedName =
  /publi(?:sh|c)|pub[_-]?date|date[_-]?pub|issued|release[_-]?date|post(?:ed)?[_-]?(?:date|time|on|at)|date[_-]?posted/i
/** Matches names for other dates. */
const otherName = /modif|updat|last|latest|expir|unpubl|republ|embargo|publisher|review/i

/** True for the name of a publish date, such as `og:publish_date` and `first_publication_date`. */
function isPublishedName(name: string): boolean {
  return publishedName.test(name) && !otherName.test(name)
}

function parseAny(value: unknown, order: DayOrder): WrittenDate | undefined {
  if (Array.isArray(value)) return parseAny(typeof value[0] === 'string' ? value[0] : undefined, order)
  if (isItem(value)) return typeof value['@value'] === 'string' ? parseAny(value['@value'], order) : undefined
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  return parseDeclaredDate(String(value), order)
}

/** Returns `datePublished` of a JSON-LD item, or `dateCreated` if there is no `datePublished`. */
export function fromItem(item: StructuredItem | undefined, order: DayOrder): PublishedDate | undefined {
  if (!item) return undefined
  return withSource(parseAny(item.datePublished, order) ?? parseAny(item.dateCreated, order), 'json-ld')
}

/** Matches types of items that are parts of a page, not the page itself. */
const partTypes = /Video|Image|Comment|Answer|Review|Event|Product|Offer/

/** Returns the date of the first item that has a date and is not a part of the page. */
export function fromOtherItems(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  for (const item of items) {
    if (typesOf(item).some(type => partTypes.test(type))) continue
    const date = fromItem(item, order)
    if (date) return date
  }
  return undefined
}

/** Returns the upload date of the video, if the page has only one. */
export function fromVideo(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  const videos = items.filter(item => typesOf(item).includes('VideoObject'))
  return videos.length === 1 ? withSource(parseAny(videos[0]?.uploadDate, order), 'json-ld') : undefined
}

/**
 * Returns the earliest date in meta elements with names for publish dates. Later dates may be updates, because some
 * software changes these elements with the page. A date without a day is returned if no element has a day.
 */
export function fromNamedMeta(metadata: PageMetadata, order: DayOrder): PublishedDate | undefined {
  let earliest: WrittenDate | undefined
  for (const [name, value] of metadata.meta) {
    const date = isPublishedName(name) ? parseAny(value, order) : undefined
    if (!date) continue
    const isFiner = earliest !== undefined && isCoarse(earliest) && !isCoarse(date)
    if (!earliest || isFiner || (isCoarse(date) === isCoarse(earliest) && date.iso < earliest.iso)) earliest = date
  }
  return withSource(earliest, 'meta')
}

/**
 * Returns the date in the first of the named meta elements that has one. If that date has no day, a date of the same
 * month or year in another of these elements is preferred.
 */
export function fromMeta(metadata: PageMetadata, names: readonly string[], order: DayOrder): PublishedDate | undefined {
  let found: WrittenDate | undefined
  for (const name of names) {
    const value = firstMeta(metadata, [name])
    const date = value === undefined ? undefined : parseAny(value, order)
    if (date && (!found || isWithin(date, found))) found = date
    if (found && !isCoarse(found)) break
  }
  return withSource(found, 'meta')
}

const publishedProperties = new Set(['datepublished', 'schema:datepublished', 'dcterms:issued'])
/** Properties that are used if no property has the publish date. */
const createdProperties = new Set(['datecreated', 'schema:datecreated', 'dc:date', 'dc:created', 'dcterms:created'])

/** Returns the publish date in microdata or RDFa, or the date of creation if there is no publish date. */
export function fromMicrodata({ tree, boilerplate, orderAt }: DateSearch): PublishedDate | undefined {
  let created: WrittenDate | undefined
  for (const node of findByAttribute(tree, 'itemprop', 'property')) {
    const property = node.attributes.itemprop ?? (node.tag === 'meta' ? undefined : node.attributes.property)
    if (property === undefined || boilerplate[node.index] === 2) continue
    const names = property.slice(0, 200).toLowerCase().split(/\s+/, 5)
    const isPublished = names.some(name => publishedProperties.has(name))
    if (!isPublished && (created || !names.some(name => createdProperties.has(name)))) continue
    if (isOfPart(node)) continue
    const value = node.attributes.content ?? node.attributes.datetime ?? textOf(tree, node, 200)
    const date = parseAny(value, orderAt(node))
    if (date && isPublished) return withSource(date, 'microdata')
    created ??= date
  }
  return withSource(created, 'microdata')
}

/** Maximum number of levels between an item and its date. It bounds the time for hostile pages. */
const MAX_LEVELS_TO_ITEM = 32

/** True if a property belongs to a comment, an answer or another part of the page. */
function isOfPart(node: HtmlNode): boolean {
  for (let up = node.parent, level = 0; up && level < MAX_LEVELS_TO_ITEM; up = up.parent, level++) {
    const { itemscope, itemtype, typeof: type } = up.attributes
    if (itemscope !== undefined || type !== undefined) return partTypes.test((itemtype ?? type ?? '').slice(0, 200))
  }
  return false
}

/** Matches a date in JSON after a name for publishing, even if the JSON is inside a string. */
const stateDate =
  /(?:[pP]ub|[pP]ost|[iI]ssued)[\w-]{0,30}\\?"\s{0,3}:\s{0,3}\\?"((?:19|20)\d\d[-/.]?\d\d[^"\\]{0,32}|[A-Z][a-z]{2,8}\.? \d{1,2}, \d{4}[^"\\]{0,20})\\?"/g
const MAX_STATE_CHARS = 300_000
const MAX_NAME_CHARS = 40

/** Returns the first date with a name for publishing in the JSON of the page's scripts. */
export function fromScriptState(tree: HtmlTree): PublishedDate | undefined {
  let chars = 0
  for (const script of findByTag(tree, 'script')) {
    const first = tree.nodes[script.index + 1]
    if (first?.parent !== script) continue
    const text = clip(first.text, MAX_STATE_CHARS - chars)
    for (const { 0: written, 1: value = '', index } of text.matchAll(stateDate)) {
      const before = text.slice(Math.max(0, index - MAX_NAME_CHARS), index)
      const name = before.slice(before.lastIndexOf('"') + 1) + written.slice(0, written.indexOf('"'))
      if (!isPublishedName(name) || !/date|time|at\\?$|on\\?$/i.test(name)) continue
      const date = parseMachineDate(value) ?? parseTextDate(value, 'day-first')
      if (date) return withSource(date, 'text')
    }
    chars += text.length
    if (chars >= MAX_STATE_CHARS) return undefined
  }
  return undefined
}

/** Returns the date in the URL of the page's image. Newspapers put images into a folder for the day of the story. */
export function fromImageUrl(metadata: PageMetadata): PublishedDate | undefined {
  const date = parseUrlDate(metadata.meta.get('og:image') ?? '')
  return date?.precision === 'day' ? { ...date, source: 'url' } : undefined
}
