import { setImmediate } from 'node:timers/promises'
import type { StructuredItem } from '@asof/extract'
import { DeclaredData, declaredIn, itemsIn, scalarOf } from './declared-data.ts'
import { inner, type LabeledTable, type LabeledText, labelsOf, type Range } from './labels.ts'
import { type ExtractablePage, type QuotedValue, QuotedValues } from './quoted-values.ts'
import { foldedWords, isRead, readDeclared } from './value-reading.ts'
import type { LeafSchema, ListSchema, ObjectSchema, Scalar, ValueSchema } from './value-schema.ts'

/** The source of a value: structured data, a field of the page, a fact that the extraction found, a label, or a language model. */
export type ValueKind = 'data' | 'field' | 'page' | 'label' | 'model'

/** The source and the passage of a value. */
export interface ValueOrigin {
  /** The place of the value in the answer, a JSON Pointer (RFC 6901). */
  path: string
  kind: ValueKind
  /** The path of properties, the name of the field or fact, or the label. */
  name: string
  /** The passage of the page that states the value: `markdown.slice(start, end)`. */
  quote: string
  start: number
  end: number
}

/**
 * Why there is no value: no source has one; the text of the page does not have it; it does not fit the schema; or a source has several.
 */
export type MissingReason = 'not_found' | 'no_quote' | 'type' | 'conflict'

export interface MissingValue {
  path: string
  reason: MissingReason
  /** The value that a source declares, if the text of the page does not state it. */
  declared?: Scalar | undefined
}

/** The values of a schema that a page has. */
export interface ExtractedValues {
  /** The values, with null for each that is unknown. */
  values: Record<string, unknown>
  from: readonly ValueOrigin[]
  missing: readonly MissingValue[]
}

/** A property for which a language model may find a quote. */
export interface ModelQuestion {
  path: string
  schema: LeafSchema
  /** True if several quotes may answer it. */
  isList: boolean
}

/** Asks a language model for the passages that state values. Returns them by the paths of the questions. */
export type AskModel = (questions: readonly ModelQuestion[]) => Promise<ReadonlyMap<string, readonly string[]>>

/** Maximum length of a declared value without a quote, UTF-16 units. A quote has the same maximum. */
const MAX_DECLARED = 2_000
/** Maximum number of values of one page. */
const MAX_VALUES = 500
/** Maximum number of labels with the same words whose values are read. */
const MAX_NAMESAKES = 50

/**
 * Reads the values of a schema from a page: from its structured data, its fields, its facts, and its labels, in this order, and last by a
 * language model if there is one. The first source counts whose value is written in the text of the page.
 *
 * @param ask - asks a model for the values that are still missing. Default: no model.
 */
export async function extractValues(
  page: ExtractablePage,
  schema: ObjectSchema,
  ask?: AskModel,
): Promise<ExtractedValues> {
  // One page may take some tens of milliseconds, so other work gets its turn.
  await setImmediate()
  const sources = new Sources(page)
  const found = new Extraction(sources, new Map()).of(schema)
  const { questions } = found
  if (!ask || questions.length === 0) return found.answer
  const answers = await ask(questions)
  return answers.size === 0 ? found.answer : new Extraction(sources, answers).of(schema).answer
}

/** The sources of values of one page, read once for all values. */
class Sources {
  readonly quoted: QuotedValues
  readonly data: DeclaredData
  readonly facts: ReadonlyMap<string, { kind: ValueKind; name: string; values: readonly unknown[] }[]>
  readonly labels: readonly LabeledText[]
  readonly tables: readonly LabeledTable[]

  constructor(page: ExtractablePage) {
    this.quoted = new QuotedValues(page)
    this.data = new DeclaredData(page.data ?? [], page.title)
    this.facts = factsOf(page)
    const { labels, tables } = labelsOf(this.quoted.text.markdown)
    this.labels = labels
    this.tables = tables
  }
}

/** Where a value is looked for. */
interface Place {
  path: string
  /** The folded words of the name of the property. */
  words: readonly string[]
  /** Groups of items that may have the property. The first group that has it counts. */
  items: readonly (readonly StructuredItem[])[]
  /** The folded words by which a label may name it, if labels of the page are about it. */
  labels: readonly (readonly string[])[]
  /** True for a property of the page itself, which fields and facts of the page may have. */
  isOfPage: boolean
}

interface Candidate {
  kind: ValueKind
  name: string
  quoted: QuotedValue
}

/** Why there is no value. */
interface Absent extends Pick<MissingValue, 'reason' | 'declared'> {
  quoted?: undefined
}

type Found = Candidate | Absent

const nothing: Absent = { reason: 'not_found' }

/** One reading of the values of a page. */
class Extraction {
  readonly #sources: Sources
  readonly #answers: ReadonlyMap<string, readonly string[]>
  readonly #from: ValueOrigin[] = []
  readonly #missing: MissingValue[] = []
  readonly #questions: ModelQuestion[] = []
  #left = MAX_VALUES

  constructor(sources: Sources, answers: ReadonlyMap<string, readonly string[]>) {
    this.#sources = sources
    this.#answers = answers
  }

  of(schema: ObjectSchema): { answer: ExtractedValues; questions: readonly ModelQuestion[] } {
    const values = this.#object(schema, {
      path: '',
      words: [],
      items: this.#sources.data.rootItems(schema),
      labels: [[]],
      isOfPage: true,
    })
    return { answer: { values, from: this.#from, missing: this.#missing }, questions: this.#questions }
  }

  #object({ properties }: ObjectSchema, place: Place): Record<string, unknown> {
    const values = properties.map(({ name, schema }): [string, unknown] => {
      const words = foldedWords(name)
      const labels = place.labels.flatMap(before => labelsFor(before, words, schema.title))
      return [name, this.#value(schema, { ...place, path: pathOf(place.path, name), words, labels })]
    })
    return Object.fromEntries(values)
  }

  #value(schema: ValueSchema, place: Place): unknown {
    if (schema.kind === 'leaf') return this.#scalar(schema, place)
    if (schema.kind === 'list') return this.#list(schema, place)
    const items = place.items.map(group => itemsIn(declaredIn(group, place.words)?.values ?? []))
    return this.#object(schema, { ...place, items, isOfPage: false })
  }

  #scalar(schema: LeafSchema, place: Place): Scalar | null {
    this.#left--
    let absent = nothing
    for (const source of [this.#declared, this.#fact, this.#labeled, this.#answered]) {
      const found = source.call(this, schema, place)
      if (found.quoted) return this.#take(found, place.path)
      absent = worse(absent, found)
    }
    if (place.labels.length > 0) this.#questions.push({ path: place.path, schema, isList: false })
    return this.#miss(absent, place.path)
  }

  #miss({ reason, declared }: Absent, path: string): null {
    this.#missing.push(declared === undefined ? { path, reason } : { path, reason, declared })
    return null
  }

  #take({ kind, name, quoted }: Candidate, path: string): Scalar {
    this.#from.push({ path, kind, name, ...quoted.quote })
    return quoted.value
  }

  #declared(schema: LeafSchema, { items, words }: Place): Found {
    for (const group of items) {
      const declared = declaredIn(group, words)
      if (declared) return this.#only(declared.values, schema, { kind: 'data', name: declared.path, words })
    }
    return nothing
  }

  /** Reads a fact of the page. What the structured data declare is not replaced by what was concluded from them. */
  #fact(schema: LeafSchema, { words, items, isOfPage }: Place): Found {
    const isDeclared = items.some(group => declaredIn(group, words) !== undefined)
    let absent = nothing
    for (const { kind, name, values } of this.#factsOf(words, isOfPage)) {
      if (kind === 'page' && isDeclared) continue
      const found = this.#only(values, schema, { kind, name, words })
      if (found.quoted) return found
      absent = worse(absent, found)
    }
    return absent
  }

  #factsOf(words: readonly string[], isOfPage: boolean) {
    return isOfPage ? (this.#sources.facts.get(words.join('')) ?? []) : []
  }

  /** Returns the one value among declared ones, if the page has it. */
  #only(
    given: readonly unknown[],
    schema: LeafSchema,
    { kind, name, words }: Pick<Candidate, 'kind' | 'name'> & Pick<Place, 'words'>,
  ): Found {
    const { quoted } = this.#sources
    const values = new Map<Scalar, unknown>()
    for (const value of given) {
      const scalar = scalarOf(value, schema)
      const read = readDeclared(scalar, schema, quoted.conventions)
      if (read !== undefined) values.set(read, scalar)
    }
    const [only, ...others] = values
    if (!only) return { reason: 'type' }
    if (others.length > 0) return { reason: 'conflict' }
    const [value, scalar] = only
    const quote = quoted.quoteOf(value, scalar, schema, words)
    if (quote) return { kind, name, quoted: { value, quote } }
    const isShort = typeof value !== 'string' || value.length <= MAX_DECLARED
    return { reason: 'no_quote', declared: isShort ? value : undefined }
  }

  #labeled(schema: LeafSchema, { labels }: Place): Found {
    for (const matches of [isLabel, hasLabel]) {
      const named = this.#sources.labels.filter(label => labels.some(words => matches(label, words)))
      let first: Candidate | undefined
      for (const { value, label, isLoose } of named.slice(0, MAX_NAMESAKES)) {
        const quoted = isLoose && !isRead(schema) ? undefined : this.#sources.quoted.read(...value, schema)
        if (first && quoted && quoted.value !== first.quoted.value) return { reason: 'conflict' }
        if (quoted) first ??= { kind: 'label', name: label, quoted }
      }
      if (first) return first
    }
    return nothing
  }

  #answered(schema: LeafSchema, { path }: Place): Found {
    const [quote] = this.#answers.get(path) ?? []
    return quote === undefined ? nothing : this.#quotedBy(quote, schema)
  }

  /** Reads the value of a quote that a model gave, if the page has the quote word by word. */
  #quotedBy(given: string, schema: LeafSchema): Found {
    const quoted = this.#sources.quoted.readWords(given, schema)
    return quoted ? { kind: 'model', name: 'llm', quoted } : { reason: 'no_quote' }
  }

  #list(schema: ListSchema, place: Place): unknown[] | null {
    const { items, most } = schema
    const list = items.kind === 'leaf' ? this.#scalars(items, most, place) : this.#objects(schema, items, place)
    return list.length > 0 ? list : this.#miss(nothing, place.path)
  }

  #objects({ most, title }: ListSchema, schema: ObjectSchema, place: Place): unknown[] {
    const { words, isOfPage, items } = place
    const declared = items.map(group => declaredIn(group, words)?.values ?? []).find(values => values.length > 0)
    const types = [title, schema.title, singular(words.join(''))].filter(type => type !== undefined)
    const typed = isOfPage
      ? types.map(type => this.#sources.data.itemsOfType(type)).find(found => found.length > 0)
      : []
    const elements = declared ? itemsIn(declared) : (typed ?? [])
    if (elements.length === 0) return this.#rows(schema, most, place)
    return this.#elements(elements.slice(0, most), place, (item, path) =>
      this.#object(schema, { path, words: [], items: [[item]], labels: [], isOfPage: false }),
    )
  }

  /** Reads objects from the rows of the one table whose head names their properties. */
  #rows(schema: ObjectSchema, most: number, place: Place): unknown[] {
    const labels = schema.properties.map(({ name, schema: { title } }) =>
      labelsFor([], foldedWords(name), title).map(words => words.join('')),
    )
    const columnsOf = ({ columns }: LabeledTable) =>
      labels.map(own => Math.min(...own.map(label => columns.get(label) ?? Number.POSITIVE_INFINITY)))
    const least = Math.min(2, schema.properties.length)
    const [only, ...others] = this.#sources.tables.filter(
      table => columnsOf(table).filter(Number.isFinite).length >= least,
    )
    if (!only || others.length > 0 || !place.isOfPage) return []
    const numbers = columnsOf(only)
    return this.#elements(only.rows.slice(0, most), place, (row, path) => {
      const values = schema.properties.map(({ name, schema: property }, i): [string, unknown] => {
        const column = numbers[i] ?? -1
        const label = only.head[column]?.label ?? ''
        return [name, this.#cell(row[column], property, { path: pathOf(path, name), label })]
      })
      return Object.fromEntries(values)
    })
  }

  #cell(
    cell: Range | undefined,
    schema: ValueSchema,
    { path, label }: Pick<Place, 'path'> & { label: string },
  ): Scalar | null {
    const { quoted } = this.#sources
    const found = cell && schema.kind === 'leaf' ? quoted.read(...inner(quoted.text.markdown, cell), schema) : undefined
    if (found) return this.#take({ kind: 'label', name: label, quoted: found }, path)
    return this.#miss(cell ? { reason: 'type' } : nothing, path)
  }

  #scalars(schema: LeafSchema, most: number, place: Place): unknown[] {
    const found = this.#candidates(schema, Math.max(0, Math.min(most, this.#left)), place)
    const isKnown = found.some(({ quoted }) => quoted !== undefined)
    if (!isKnown && place.labels.length > 0) this.#questions.push({ path: place.path, schema, isList: true })
    return this.#elements(found, place, (candidate, path) =>
      candidate.quoted ? this.#take(candidate, path) : this.#miss(candidate, path),
    )
  }

  /** Returns the values of a list, from the first source with a quoted one. */
  #candidates(schema: LeafSchema, most: number, place: Place): Found[] {
    const { items, words, isOfPage, labels, path } = place
    const declared = items.map(group => declaredIn(group, words)).find(values => values !== undefined)
    const facts = this.#factsOf(words, isOfPage)
    const data = declared && { kind: 'data' as const, name: declared.path, values: declared.values }
    const lists = data ? [data, ...facts.filter(({ kind }) => kind !== 'page')] : facts
    let first: Found[] = []
    for (const { kind, name, values } of lists) {
      const found = itemized(name, values)
        .slice(0, most)
        .map(value => this.#only([value], schema, { kind, name, words }))
      if (found.some(({ quoted }) => quoted !== undefined)) return found
      if (first.length === 0) first = found
    }
    const labeled = this.#sources.labels.filter(label => labels.some(own => isLabel(label, own)))
    const [only, ...others] = labeled
    if (only && others.length === 0 && !only.isLoose) {
      const parts = partsOf(this.#sources.quoted.text.markdown, only.value, most)
      const read = parts.map(part => this.#sources.quoted.read(...part, schema))
      if (read.length > 0 && read.every(one => one !== undefined))
        return read.map(quoted => ({ kind: 'label', name: only.label, quoted }))
    }
    const answers = (this.#answers.get(path) ?? []).slice(0, most).map(quote => this.#quotedBy(quote, schema))
    const quotes = answers.filter(({ quoted }) => quoted !== undefined)
    return quotes.length > 0 ? quotes : first
  }

  /** Reads the elements of a list. Those without a value stay, so that the others keep their places. */
  #elements<T>(given: readonly T[], place: Place, read: (one: T, path: string) => unknown): unknown[] {
    const list: unknown[] = []
    for (const [i, one] of given.entries()) {
      if (this.#left <= 0) break
      this.#left--
      list.push(read(one, `${place.path}/${i}`))
    }
    return list
  }
}

/** Returns the JSON Pointer of a property. */
function pathOf(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The reasons, the one that says most last. */
const order: readonly MissingReason[] = ['not_found', 'type', 'no_quote', 'conflict']

/** Returns the one of two reasons that says more. */
function worse(one: Absent, other: Absent): Absent {
  return order.indexOf(other.reason) > order.indexOf(one.reason) ? other : one
}

/** The names under which the facts of a page are asked for. */
const factNames = {
  title: ['title', 'headline', 'pagetitle'],
  author: ['author', 'authors', 'authorname', 'byline', 'writer'],
  description: ['description', 'summary'],
  published_at: [
    'datepublished',
    'published',
    'publishedat',
    'publisheddate',
    'publishdate',
    'publicationdate',
    'date',
  ],
} as const

function factsOf(page: ExtractablePage): Sources['facts'] {
  const { title, author, description, publishedAt, publishedFrom, fields = {} } = page
  const facts = new Map<string, { kind: ValueKind; name: string; values: readonly unknown[] }[]>()
  const add = (key: string, kind: ValueKind, name: string, values: readonly unknown[]) =>
    facts.set(key, [...(facts.get(key) ?? []), { kind, name, values }])
  for (const [name, value] of Object.entries(fields)) {
    const values = (Array.isArray(value) ? value : [value]).map((one: unknown) => {
      if (one instanceof Date) return one.toISOString()
      return typeof one === 'object' && one !== null && '$text' in one ? one.$text : one
    })
    add(foldedWords(name).join(''), 'field', name, values)
  }
  const at = publishedAt === undefined ? undefined : new Date(publishedAt).toISOString()
  const published_at = publishedFrom?.precision === 'day' ? at?.slice(0, 10) : at
  const own = { title: title === '' ? undefined : title, author, description, published_at }
  for (const [name, keys] of Object.entries(factNames)) {
    const value = own[name as keyof typeof own]
    if (value !== undefined) for (const key of keys) add(key, 'page', name, [value])
  }
  return facts
}

/** Returns the words by which a label may name a property: its name, or the `title` of its schema. */
function labelsFor(before: readonly string[], words: readonly string[], title: string | undefined): string[][] {
  const titled = title === undefined ? [] : [foldedWords(title)]
  return [[...before, ...words], ...titled].filter(label => label.length > 0)
}

function isSameWords(some: readonly string[], others: readonly string[]): boolean {
  return some.join('') === others.join('')
}

function isLabel({ words, hasMore }: LabeledText, sought: readonly string[]): boolean {
  return !hasMore && isSameWords(words, sought)
}

/** Maximum number of words of a label before those of the property: `Net price`. */
const MAX_BEFORE = 2

function hasLabel({ words }: LabeledText, sought: readonly string[]): boolean {
  const before = words.length - sought.length
  return before >= 0 && before <= MAX_BEFORE && isSameWords(words.slice(before), sought)
}

function singular(name: string): string | undefined {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return name.endsWith('s') ? name.slice(0, -1) : undefined
}

/** Returns the values of a list. Keywords are often one text with commas. */
function itemized(name: string, values: readonly unknown[]): unknown[] {
  const [only, ...others] = values
  if (typeof only !== 'string' || others.length > 0 || !name.endsWith('keywords')) return [...values]
  return only.split(',').filter(part => part.trim() !== '')
}

/** Returns the first parts of a text between commas or semicolons. */
function partsOf(markdown: string, [start, end]: Range, most: number): Range[] {
  const parts: Range[] = []
  for (let from = start; from < end && parts.length < most; ) {
    const length = markdown.slice(from, end).search(/[,;]\s/)
    const to = length < 0 ? end : from + length
    const part = inner(markdown, [from, to])
    if (part[0] < part[1]) parts.push(part)
    from = to + 1
  }
  return parts
}
