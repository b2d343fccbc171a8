import type { StructuredItem } from '../page.ts'
import { type DayOrder, parseMachineDate, parseTextDate, parseUrlDate, type WrittenDate } from './date-text.ts'
import { having, tagged } from './element-index.ts'
import { type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import { isItem, typesOf } from './json-ld.ts'
import { firstMeta, type PageFacts } from './page-facts.ts'
import { type PublishedDate, withSource } from './published-date.ts'

/** Meta names of publish dates, most trusted first. Modified and review dates are not here on purpose. */
export const publishedMeta = (
  'article:published_time og:article:published_time og:published_time article:published og:pubdate datepublished ' +
  'date_published datepublication publishdate publish-date publish_date published published_date published-date ' +
  'published_time publishtime publication_date publication-date publicationdate pubdate pub_date dc.date.issued ' +
  'dcterms.issued dc.issued sailthru.date parsely-pub-date cxenseparse:recs:publishtime cxenseparse:publishtime ' +
  'bt:pubdate rnews:datepublished article.published article_date_original originalpublicationdate ' +
  'citation_publication_date citation_online_date citation_date prism.publicationdate displaydate article:post_time ' +
  'og:regdate analyticsattributes.articledate shareaholic:article_published_time ptime release_date pdate ' +
  'date.release vr:published_time eomportal-firstpublished'
).split(' ')
/** Names that software fills with the day when a page was made or last touched: what the page shows goes first. */
export const vagueMeta = (
  'dcterms.created dc.date.created dc.created dcterms.date dc.date dc:date dc:created article.created date created ' +
  'datecreated article:create_time timestamp sitemap-date weibo:article:create_at'
).split(' ')

function parseAny(value: unknown, order: DayOrder): WrittenDate | undefined {
  if (Array.isArray(value)) return parseAny(typeof value[0] === 'string' ? value[0] : undefined, order)
  if (isItem(value)) return typeof value['@value'] === 'string' ? parseAny(value['@value'], order) : undefined
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  return parseMachineDate(text) ?? parseTextDate(text, order)
}

/** `datePublished` of a JSON-LD item, else `dateCreated`. */
export function fromItem(item: StructuredItem | undefined, order: DayOrder): PublishedDate | undefined {
  if (!item) return undefined
  return withSource(parseAny(item.datePublished, order) ?? parseAny(item.dateCreated, order), 'json-ld')
}

/** Types of items that stand on a page and are not the page. */
const partTypes = /Video|Image|Comment|Answer|Review|Event|Product|Offer/

/** The first item of another kind that has a date and is not about something on the page. */
export function fromOtherItems(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  for (const item of items) {
    if (typesOf(item).some(type => partTypes.test(type))) continue
    const date = fromItem(item, order)
    if (date) return date
    const main = item.mainEntity
    const nested = isItem(main) ? fromItem(main, order) : undefined
    if (nested) return nested
  }
  return undefined
}

/** On a page that is a video, its upload is the publication. */
export function fromVideo(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  const videos = items.filter(item => typesOf(item).includes('VideoObject'))
  return videos.length === 1 ? withSource(parseAny(videos[0].uploadDate, order), 'json-ld') : undefined
}

/** The first of some meta names that holds a date. */
export function fromMeta(facts: PageFacts, names: readonly string[], order: DayOrder): PublishedDate | undefined {
  for (const name of names) {
    const value = firstMeta(facts, [name])
    const date = value === undefined ? undefined : parseAny(value, order)
    if (date) return withSource(date, 'meta')
  }
  return undefined
}

const publishedProperties = new Set(['datepublished', 'schema:datepublished', 'dcterms:issued'])
/** Second best. */
const createdProperties = new Set(['datecreated', 'schema:datecreated', 'dc:date', 'dc:created', 'dcterms:created'])

/** Microdata and RDFa. */
export function fromMicrodata(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): PublishedDate | undefined {
  let created: WrittenDate | undefined
  for (const node of having(tree, 'itemprop', 'property')) {
    const property = node.attributes.itemprop ?? (node.tag === 'meta' ? undefined : node.attributes.property)
    if (property === undefined || sideline[node.index] === 2) continue
    const names = property.slice(0, 200).toLowerCase().split(/\s+/, 5)
    const isPublished = names.some(name => publishedProperties.has(name))
    if (!isPublished && (created || !names.some(name => createdProperties.has(name)))) continue
    if (isOfPart(node)) continue
    const value = node.attributes.content ?? node.attributes.datetime ?? textOf(tree, node, 200)
    const date = parseAny(value, order)
    if (date && isPublished) return withSource(date, 'microdata')
    created ??= date
  }
  return withSource(created, 'microdata')
}

/** An item is marked not far above its date; walks up from every date of a hostile page stay short. */
const MAX_LEVELS_TO_ITEM = 32

/** Whether a property is one of a comment, an answer or another item that is not the page. */
function isOfPart(node: HtmlNode): boolean {
  for (let up = node.parent, level = 0; up && level < MAX_LEVELS_TO_ITEM; up = up.parent, level++) {
    const { itemscope, itemtype, typeof: type } = up.attributes
    if (itemscope !== undefined || type !== undefined) return partTypes.test((itemtype ?? type ?? '').slice(0, 200))
  }
  return false
}

const statePublished =
  /"(?:datePublished|publishedDate|published_?[aA]t|publish_?[dD]ate|first-?[pP]ublication|publishedFirst|firstPublished(?:At|Date)?|pubDate|publicationDate|date_published|post_?[dD]ate)"\s*:\s*"([^"]{8,40})"/
const MAX_STATE_CHARS = 300_000

/** What scripts carry of the page's state; no more than the first date there that is called a publish date. */
export function fromScriptState(tree: HtmlTree): PublishedDate | undefined {
  let chars = 0
  for (const script of tagged(tree, 'script')) {
    const first = tree.nodes[script.index + 1]
    if (first?.parent !== script) continue
    const { text } = first
    const state = statePublished.exec(text.slice(0, MAX_STATE_CHARS - chars))
    const date = state && (parseMachineDate(state[1]) ?? parseTextDate(state[1], 'day-first'))
    if (date) return { ...date, source: 'text' }
    chars += text.length
    if (chars >= MAX_STATE_CHARS) return undefined
  }
  return undefined
}

/** Papers keep pictures by the day of the story. */
export function fromPictureAddress(facts: PageFacts): PublishedDate | undefined {
  const date = parseUrlDate(facts.meta.get('og:image') ?? '')
  return date?.precision === 'day' ? { ...date, source: 'url' } : undefined
}
