import type { DateSource, StructuredItem } from '../page.ts'
import { nameWords } from './class-evidence.ts'
import { type DayOrder, parseMachineDate, parseTextDate, parseUrlDate, type WrittenDate } from './date-text.ts'
import { blockElements, unseenElements } from './element-kinds.ts'
import { clip, type HtmlNode, type HtmlTree, textOf } from './html-tree.ts'
import { isItem, typesOf } from './json-ld.ts'
import { firstMeta, type PageFacts } from './page-facts.ts'

export interface PublishedDate extends WrittenDate {
  source: DateSource
}

/** Meta names of publish dates, most trusted first. Modified and review dates are not here on purpose. */
const publishedMeta = (
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
const vagueMeta = (
  'dcterms.created dc.date.created dc.created dcterms.date dc.date dc:date dc:created article.created date created ' +
  'datecreated article:create_time timestamp sitemap-date weibo:article:create_at'
).split(' ')

/**
 * When the page says it was published, by order of trust: JSON-LD of the article, meta, microdata, a `<time>` by the
 * heading, the URL, other JSON-LD, a date written near the heading. Never a modified date or a copyright year.
 *
 * @param options.title - empty when the page has none.
 * @param options.sideline - see `findSidelines`.
 * @param options.latestAt - epoch ms; a later day is refused (with a day's grace for time zones). Default: no bound.
 * @returns `undefined` when the page doesn't say.
 */
export function findPublishDate(
  tree: HtmlTree,
  facts: PageFacts,
  options: { url: string; title: string; order: DayOrder; sideline: Uint8Array; latestAt?: number },
): PublishedDate | undefined {
  const { order } = options
  const inTime = (date: WrittenDate | undefined): date is WrittenDate =>
    date !== undefined &&
    (options.latestAt === undefined || Date.parse(date.iso.slice(0, 10)) <= options.latestAt + 86_400_000)
  const sideline = options.sideline.slice()
  const heading = mainHeading(facts, options.title)
  clearNearHeading(sideline, heading)
  const nothingAside = new Uint8Array(tree.nodes.length)
  let month: PublishedDate | undefined
  for (const find of [
    () => fromItem(facts.article, order),
    () => fromMeta(facts, publishedMeta, order),
    () => fromMicrodata(tree, sideline, order),
    () => fromTimeElement(tree, sideline, heading, order, MAX_NODES_TO_TIME),
    () => fromMeta(facts, vagueMeta, order),
    () => withSource(parseUrlDate(options.url), 'url'),
    () => fromOtherItems(facts.jsonLd, order),
    () => fromDateClass(tree, sideline, order),
    () => fromTimeElement(tree, sideline, heading, order, tree.nodes.length),
    // Some sites wrap the article itself in a box with a sideline's name.
    () => fromMicrodata(tree, nothingAside, order),
    () => fromVideo(facts.jsonLd, order),
    () => fromText(tree, sideline, heading, order),
    () => fromOnlyDateClass(tree, order),
    () => fromScriptState(tree),
    () => fromPictureAddress(facts),
  ]) {
    const found = find()
    if (!inTime(found)) continue
    if (found.precision !== 'month') return withLocalDay(found, tree, heading, sideline, order, options.url)
    month ??= found
  }
  return month
}

/** The heading that names the page: the one with its title, else the first of level 1 that is no link to another one. */
function mainHeading({ headings, subheadings }: PageFacts, title: string): number | undefined {
  const own =
    [...headings, ...subheadings].find(({ text }) => text === title) ??
    headings.find(({ href }) => href === undefined) ??
    headings[0] ??
    subheadings[0]
  return own?.index
}

/**
 * A time in UTC may lie on another calendar day than the one that the publisher's own clock showed. The address or the
 * line of the date tells, where it is a day off and some time zone explains that.
 */
function withLocalDay(
  found: PublishedDate,
  tree: HtmlTree,
  heading: number | undefined,
  sideline: Uint8Array,
  order: DayOrder,
  url: string,
): PublishedDate {
  const utc = /T(\d\d):\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00)$/.exec(found.iso)
  if (!utc || found.source === 'url' || found.source === 'text') return found
  const day = Date.parse(found.iso.slice(0, 10))
  const isLocal = (date: WrittenDate): boolean => {
    if (date.precision === 'month') return false
    const days = (Date.parse(date.iso.slice(0, 10)) - day) / 86_400_000
    return (days === -1 && +utc[1] < 12) || (days === 1 && +utc[1] >= 10)
  }
  const inAddress = parseUrlDate(url)
  if (inAddress && isLocal(inAddress)) return { ...inAddress, source: 'url' }
  // A date in the address on the same day settles it, too.
  if (inAddress && inAddress.precision !== 'month') return found
  const shown = shownNearHeading(tree, heading, sideline, order)
  return shown && isLocal(shown) ? { ...shown, source: 'text' } : found
}

const NODES_AFTER_HEADING = 60

/** The first date shown in the nodes around the main heading. */
function shownNearHeading(
  tree: HtmlTree,
  heading: number | undefined,
  sideline: Uint8Array,
  order: DayOrder,
): WrittenDate | undefined {
  if (heading === undefined || sideline[heading] > 0) return undefined
  const last = Math.min(tree.nodes.length, tree.nodes[heading].end + NODES_AFTER_HEADING)
  for (let i = Math.max(0, heading - HEADING_NODES_BEFORE); i < last; i++) {
    const { tag, parent, text } = tree.nodes[i]
    if (tag !== '' || unseenElements.has(parent!.tag) || text.length > 120 || sideline[i] > 0) continue
    if (modifiedWords.test(text)) continue
    const date = parseTextDate(text, order)
    if (date) return date
  }
  return undefined
}

function withSource(date: WrittenDate | undefined, source: DateSource): PublishedDate | undefined {
  return date && { ...date, source }
}

/** Papers keep pictures by the day of the story. */
function fromPictureAddress(facts: PageFacts): PublishedDate | undefined {
  const date = parseUrlDate(facts.meta.get('og:image') ?? '')
  return date?.precision === 'day' ? { ...date, source: 'url' } : undefined
}

function parseAny(value: unknown, order: DayOrder): WrittenDate | undefined {
  if (Array.isArray(value)) return parseAny(typeof value[0] === 'string' ? value[0] : undefined, order)
  if (isItem(value)) return typeof value['@value'] === 'string' ? parseAny(value['@value'], order) : undefined
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = String(value)
  return parseMachineDate(text) ?? parseTextDate(text, order)
}

function fromItem(item: StructuredItem | undefined, order: DayOrder): PublishedDate | undefined {
  if (!item) return undefined
  return withSource(parseAny(item.datePublished, order) ?? parseAny(item.dateCreated, order), 'json-ld')
}

function fromOtherItems(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  for (const item of items) {
    if (typesOf(item).some(type => /Video|Image|Comment|Answer|Review|Event|Product|Offer/.test(type))) continue
    const date = fromItem(item, order)
    if (date) return date
    const main = item.mainEntity
    const nested = isItem(main) ? fromItem(main, order) : undefined
    if (nested) return nested
  }
  return undefined
}

/** On a page that is a video, its upload is the publication. */
function fromVideo(items: readonly StructuredItem[], order: DayOrder): PublishedDate | undefined {
  const videos = items.filter(item => typesOf(item).includes('VideoObject'))
  return videos.length === 1 ? withSource(parseAny(videos[0].uploadDate, order), 'json-ld') : undefined
}

function fromMeta(facts: PageFacts, names: readonly string[], order: DayOrder): PublishedDate | undefined {
  for (const name of names) {
    const value = firstMeta(facts, [name])
    const date = value === undefined ? undefined : parseAny(value, order)
    if (date) return withSource(date, 'meta')
  }
  return undefined
}

const modifiedWords = /modif|updat|edit|aktualis|geändert|actuali|mise à jour|bijgewerkt|обновл/i

const publishedProperties = [
  ['datepublished', 'schema:datepublished', 'dcterms:issued'],
  ['datecreated', 'schema:datecreated', 'dc:date', 'dc:created', 'dcterms:created'],
]

/** Microdata and RDFa. */
function fromMicrodata(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): PublishedDate | undefined {
  for (const wanted of publishedProperties) {
    for (const node of tree.nodes) {
      const property = node.attributes.itemprop ?? (node.tag === 'meta' ? undefined : node.attributes.property)
      if (property === undefined || sideline[node.index]) continue
      const names = property.slice(0, 200).toLowerCase().split(/\s+/, 5)
      if (!names.some(name => wanted.includes(name))) continue
      const value = node.attributes.content ?? node.attributes.datetime ?? textOf(tree, node, 200)
      const date = parseAny(value, order)
      if (date) return withSource(date, 'microdata')
    }
  }
  return undefined
}

const HEADING_NODES_BEFORE = 30
const HEADING_NODES_AFTER = 40

/** Next to the main heading a box called "teaser" or "more" holds the page's own byline. */
function clearNearHeading(sideline: Uint8Array, heading: number | undefined): void {
  if (heading === undefined) return
  const last = Math.min(sideline.length, heading + HEADING_NODES_AFTER)
  for (let i = Math.max(0, heading - HEADING_NODES_BEFORE); i < last; i++) if (sideline[i] === 1) sideline[i] = 0
}

/** A `<time>` farther from the heading belongs to something else, unless it says that it is the page's. */
const MAX_NODES_TO_TIME = 800

function fromTimeElement(
  tree: HtmlTree,
  sideline: Uint8Array,
  heading: number | undefined,
  order: DayOrder,
  reach: number,
): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let bestScore = 0
  let seen = 0
  for (const node of tree.nodes) {
    if (node.tag !== 'time' && node.tag !== 'abbr') continue
    if (node.tag === 'abbr' && !/published|date/.test(node.attributes.class ?? '')) continue
    if (++seen > 200) break
    const words = `${node.attributes.class ?? ''} ${node.attributes.itemprop ?? ''} ${node.parent?.attributes.class ?? ''}`
    if (modifiedWords.test(words) || sideline[node.index]) continue
    const shown = textOf(tree, node, 200)
    const value = node.attributes.datetime ?? node.attributes.title ?? shown
    const date = parseMachineDate(value) ?? parseTextDate(value, order) ?? parseTextDate(shown, order)
    if (!date) continue
    const before = tree.nodes[node.index - 1]
    if (before?.tag === '' && modifiedWords.test(before.text.slice(-40))) continue
    const isPublished = node.attributes.pubdate !== undefined || /publi[sc]|entry-date|post-date/.test(words)
    const distance = Math.abs(node.index - (heading ?? 0))
    if (!isPublished && heading !== undefined && distance > reach) continue
    const score = (isPublished ? 2 : 1) + 1 / (1 + distance / 20)
    if (score > bestScore) {
      best = date
      bestScore = score
    }
  }
  return withSource(best, 'time-element')
}

const dateWords = new Set(
  'date dateline datetime published pubdate publishdate publish posted posttime timestamp time postdate entrydate datum fecha datestamp'.split(
    ' ',
  ),
)

function fromDateClass(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): PublishedDate | undefined {
  for (const date of datesByClass(tree, sideline, order)) return withSource(date, 'text')
  return undefined
}

/** The date of the page's sidelines, when all that is called a date there is the same day: other stories have others. */
function fromOnlyDateClass(tree: HtmlTree, order: DayOrder): PublishedDate | undefined {
  let only: WrittenDate | undefined
  for (const date of datesByClass(tree, new Uint8Array(tree.nodes.length), order)) {
    if (only && only.iso.slice(0, 10) !== date.iso.slice(0, 10)) return undefined
    only ??= date
  }
  return withSource(only, 'text')
}

function* datesByClass(tree: HtmlTree, sideline: Uint8Array, order: DayOrder): Generator<WrittenDate> {
  for (const node of tree.nodes) {
    if (node.tag === '' || node.end - node.index > 30) continue
    const words = nameWords(node)
    if (!words.some(word => dateWords.has(word)) || words.some(word => modifiedWords.test(word))) continue
    const text = textOf(tree, node, 200)
    if (text.length > 150 || modifiedWords.test(text.slice(0, 40)) || sideline[node.index]) continue
    const date = parseTextDate(text, order)
    if (date) yield date
  }
}

const strongLabel =
  /(?:publish|posted|veröffentlicht|erstellt|publié|publicado|pubblicato|geplaatst|gepubliceerd|publicerad|opublikowan|опубликован|yayın|released)/i
/** In a sentence these introduce any date. */
const weakLabel = /(?:^|\s)(?:dated|date|datum|fecha|data|stand|vom|am|on|le)[\s:]/i
/** `27.1.2022 - `, `(21. November 2022) `, `Berlin, 3. Mai 2020 – ` before the first sentence. */
const leadingDate =
  /^[\s([]*(?:\p{Lu}[\p{L}-]{2,20}(?:\s\p{Lu}[\p{L}-]{2,20})?,?\s+)?(?:den\s+)?[\d\p{L}][\d\p{L}., /-]{4,25}?\d{4}\s*[-–—:)|\]]/u
const MAX_TEXTS = 4000
const SHORT_CHARS = 60
/** What a text may hold besides a date to be nothing but the date: a week day, a clock time. */
const MAX_BESIDE_DATE = 26

/** A date written in the text: by itself, labelled, at the start of a paragraph, or near the main heading. */
function fromText(
  tree: HtmlTree,
  sideline: Uint8Array,
  heading: number | undefined,
  order: DayOrder,
): PublishedDate | undefined {
  let best: WrittenDate | undefined
  let bestScore = 0
  let seen = 0
  let before = ''
  for (const node of tree.nodes) {
    if (node.tag !== '') continue
    const label = before
    if (node.text.length < SHORT_CHARS * 2 && node.text.trim() !== '') before = node.text
    if (node.text.length < 6 || !/(?:19|20)\d\d|\d[./]\d\d(?!\d)/.test(node.text)) continue
    const parent = node.parent!
    if (parent.tag === 'script' || parent.tag === 'style' || parent.tag === 'title' || parent.tag === 'option') continue
    if (++seen > MAX_TEXTS) break
    const text = clip(node.text.trim(), 200)
    if (/©|copyright|\(c\)/i.test(text) || modifiedWords.test(text)) continue
    // `Last updated` in an element of its own.
    if (label.length < SHORT_CHARS && modifiedWords.test(label) && isClose(tree, node)) continue
    const isShort = text.length < SHORT_CHARS
    const leads = !isShort && leadingDate.test(text)
    const date = parseTextDate(leads ? text.slice(0, SHORT_CHARS) : text, order)
    const isNamed = strongLabel.test(text) || (isShort && strongLabel.test(label))
    if (!date || sideline[node.index] > (isNamed ? 1 : 0)) continue
    const isPart = isInSentence(tree, node)
    const isAlone = text.length <= MAX_BESIDE_DATE && !isPart && parent.tag !== 'a'
    const isLabelled = isNamed || (isShort && (weakLabel.test(text) || weakLabel.test(label)))
    const distance = Math.abs(node.index - (heading ?? 0))
    const score =
      (isAlone ? 1.5 : (isShort && !isPart) || leads ? 1 : 0) + (isLabelled ? 1 : 0) + 2 / (1 + distance / 15)
    if (score > bestScore && (isShort || score > 1)) {
      best = date
      bestScore = score
    }
  }
  return withSource(best, 'text')
}

const MAX_LINE_CHARS = 120
const MAX_LINE_NODES = 200

/** Whether a text is a few words of a longer line: a date in bold, the day of an event. */
function isInSentence(tree: HtmlTree, { parent }: HtmlNode): boolean {
  const line = parent?.parent
  if (parent === undefined || line === undefined || blockElements.has(parent.tag)) return false
  if (line.end - line.index > MAX_LINE_NODES) return false
  return textOf(tree, line, MAX_LINE_CHARS * 2).length > MAX_LINE_CHARS
}

/** Whether the text right before belongs to the same line: a label in an element of its own. */
function isClose(tree: HtmlTree, node: HtmlNode): boolean {
  const parent = node.parent!
  return tree.nodes[node.index - 1]?.tag === '' || parent.parent === tree.nodes[parent.index - 1]?.parent?.parent
}

const statePublished =
  /"(?:datePublished|publishedDate|published_?[aA]t|publish_?[dD]ate|first-?[pP]ublication|publishedFirst|firstPublished(?:At|Date)?|pubDate|publicationDate|date_published|post_?[dD]ate)"\s*:\s*"([^"]{8,40})"/
const MAX_STATE_CHARS = 300_000

/** What scripts carry of the page's state; no more than the first date there that is called a publish date. */
function fromScriptState(tree: HtmlTree): PublishedDate | undefined {
  let chars = 0
  for (const { tag, parent, text } of tree.nodes) {
    if (tag !== '' || parent!.tag !== 'script') continue
    const state = statePublished.exec(text.slice(0, MAX_STATE_CHARS - chars))
    const date = state && (parseMachineDate(state[1]) ?? parseTextDate(state[1], 'day-first'))
    if (date) return { ...date, source: 'text' }
    chars += text.length
    if (chars >= MAX_STATE_CHARS) return undefined
  }
  return undefined
}

/** How numeric dates of a page are read: by its language, and where that is English or unknown by its domain. */
export function dayOrder(lang: string, url: string): DayOrder {
  const host = URL.parse(url)?.hostname ?? ''
  const tag = lang.toLowerCase()
  if (/\.(?:uk|au|nz|ie|in|za)$/.test(host) || /^en-(?!us)/.test(tag)) return 'day-first'
  return tag === '' || tag.startsWith('en')
    ? /\.(?:com|org|net|us|edu|gov)$/.test(host)
      ? 'month-first'
      : 'day-first'
    : 'day-first'
}
