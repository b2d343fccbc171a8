import { setImmediate } from 'node:timers/promises'
import type { StructuredItem } from '@asof/extract'
import { DeclaredData, declaredIn, itemsIn, scalarOf } from './declared-data.ts'
import { inner, type LabeledTable, type LabeledText, labelsOf, type Range } from './labels.ts'
import { type ExtractablePage, type QuotedValue, QuotedValues } from './quoted-values.ts'
import { foldedWords, isRead, readDeclared } from './value-reading.ts'
import type { LeafSchema, ListSchema, ObjectSchema, Scalar, ValueSchema } from './value-schema.ts'

/** The source of a value: structured data, a field of the page, a fact that the extraction found, a label, or a language model. */
export type ValueKind = 'data' | 'field' | 'page' | 'label' | 'model'

/** Where a value comes from. */
export interface ValueOrigin {
  /** The place of the value in the answer, a JSON Pointer (RFC 6901). */
  path: string
  kind: ValueKind
  /** The path of properties, the name of the field or fact, or the label. */
  name: string
  /** The text of the page that says so: `markdown.slice(start, end)`. */
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
}

/** What a page says for a schema. */
export interface ExtractedValues {
  /** The values, with null for each that is unknown. Null if none is known. */
  values: Readonly<Record<string, unknown>> | null
  from: readonly ValueOrigin[]
  missing: readonly MissingValue[]
}

/** A property for which a language model may find a quote. */
export interface Question {
  path: string
  schema: LeafSchema
  /** True if several quotes may answer it. */
  isList: boolean
}

/** Asks a language model for the quotes that say values. Returns them by the paths of the questions. */
export type AskModel = (questions: readonly Question[]) => Promise<ReadonlyMap<string, readonly string[]>>

/** Maximum number of values of one page. */
const MAX_VALUES = 500

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

/** What one page has, read once for all values. */
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

type Found = Candidate | MissingReason

/** One reading of the values of a page. */
class Extraction {
  readonly #sources: Sources
  readonly #answers: ReadonlyMap<string, readonly string[]>
  readonly #from: ValueOrigin[] = []
  #missing: MissingValue[] = []
  readonly #questions: Question[] = []
  #left = MAX_VALUES

  constructor(sources: Sources, answers: ReadonlyMap<string, readonly string[]>) {
    this.#sources = sources
    this.#answers = answers
  }

  of(schema: ObjectSchema): { answer: ExtractedValues; questions: readonly Question[] } {
    const values = this.#object(schema, {
      path: '',
      words: [],
      items: this.#sources.data.rootItems(schema),
      labels: [[]],
      isOfPage: true,
    })
    return { answer: { values, from: this.#from, missing: this.#missing }, questions: this.#questions }
  }

  /** Returns null if no property has a value. The object is then missing as a whole, unless it is that of the page. */
  #object({ properties }: ObjectSchema, place: Place): Record<string, unknown> | null {
    const missing = this.#missing.length
    const values = properties.map(({ name, schema }): [string, unknown] => {
      const words = foldedWords(name)
      const inner = {
        ...place,
        path: pathOf(place.path, name),
        words,
        labels: place.labels.flatMap(before => labelsFor(before, words, schema.title)),
      }
      return [name, this.#value(schema, inner)]
    })
    if (values.some(([, value]) => value !== null)) return Object.fromEntries(values)
    if (place.path !== '') this.#replaceMissing(missing, place.path)
    return null
  }

  /** Replaces what is missing inside of a value by the value itself. */
  #replaceMissing(from: number, path: string): void {
    const reasons = this.#missing.slice(from).map(({ reason }) => reason)
    this.#missing = [...this.#missing.slice(0, from), { path, reason: worst(reasons) }]
  }

  #value(schema: ValueSchema, place: Place): unknown {
    if (schema.kind === 'leaf') return this.#scalar(schema, place)
    if (schema.kind === 'list') return this.#list(schema, place)
    const items = place.items.map(group => itemsIn(declaredIn(group, place.words)?.values ?? []))
    return this.#object(schema, { ...place, items, isOfPage: false })
  }

  #scalar(schema: LeafSchema, place: Place): Scalar | null {
    this.#left--
    let reason: MissingReason = 'not_found'
    for (const source of [this.#declared, this.#fact, this.#labeled, this.#answered]) {
      const found = source.call(this, schema, place)
      if (typeof found === 'object') return this.#take(found, place.path)
      reason = worst([reason, found])
    }
    this.#missing.push({ path: place.path, reason })
    if (place.labels.length > 0) this.#questions.push({ path: place.path, schema, isList: false })
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
    return 'not_found'
  }

  #fact(schema: LeafSchema, { words, isOfPage }: Place): Found {
    const facts = isOfPage ? (this.#sources.facts.get(words.join('')) ?? []) : []
    let reason: MissingReason = 'not_found'
    for (const { kind, name, values } of facts) {
      const found = this.#only(values, schema, { kind, name, words })
      if (typeof found === 'object') return found
      reason = worst([reason, found])
    }
    return reason
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
    if (!only) return 'type'
    if (others.length > 0) return 'conflict'
    const quote = quoted.quoteOf(...only, schema, words)
    return quote ? { kind, name, quoted: { value: only[0], quote } } : 'no_quote'
  }

  #labeled(schema: LeafSchema, { labels }: Place): Found {
    const read = ({ value: [start, end], label, isLoose }: LabeledText): Candidate[] => {
      const quoted = isLoose && !isRead(schema) ? undefined : this.#sources.quoted.read(start, end, schema)
      return quoted ? [{ kind: 'label', name: label, quoted }] : []
    }
    for (const matches of [isLabel, hasLabel]) {
      const found = this.#sources.labels.filter(label => labels.some(words => matches(label, words))).flatMap(read)
      const [first] = found
      if (first) return found.every(({ quoted }) => quoted.value === first.quoted.value) ? first : 'conflict'
    }
    return 'not_found'
  }

  #answered(schema: LeafSchema, { path }: Place): Found {
    const [quote] = this.#answers.get(path) ?? []
    return quote === undefined ? 'not_found' : this.#quotedBy(quote, schema)
  }

  /** Reads the value of a quote that a model gave, if the page has the quote word by word. */
  #quotedBy(given: string, schema: LeafSchema): Found {
    const quoted = this.#sources.quoted.readWords(given, schema)
    return quoted ? { kind: 'model', name: 'llm', quoted } : 'no_quote'
  }

  #list(schema: ListSchema, place: Place): unknown[] | null {
    const { items, most } = schema
    const list = items.kind === 'leaf' ? this.#scalars(items, most, place) : this.#objects(schema, items, place)
    if (list && list.length > 0) return list
    if (!list) this.#missing.push({ path: place.path, reason: 'not_found' })
    return null
  }

  #objects({ most, title }: ListSchema, schema: ObjectSchema, place: Place): unknown[] | null {
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
  #rows(schema: ObjectSchema, most: number, place: Place): unknown[] | null {
    const columns = (head: LabeledTable['head']) =>
      schema.properties.map(({ name, schema: { title } }) =>
        head.findIndex(({ words }) => labelsFor([], foldedWords(name), title).some(label => isSameWords(label, words))),
      )
    const least = Math.min(2, schema.properties.length)
    const [only, ...others] = this.#sources.tables.filter(
      ({ head }) => columns(head).filter(column => column >= 0).length >= least,
    )
    if (!only || others.length > 0 || !place.isOfPage) return null
    const numbers = columns(only.head)
    return this.#elements(only.rows.slice(0, most), place, (row, path) => {
      const before = this.#missing.length
      const values = schema.properties.map(({ name, schema: property }, i): [string, unknown] => {
        const column = numbers[i] ?? -1
        const label = only.head[column]?.label ?? ''
        return [name, this.#cell(row[column], property, { path: pathOf(path, name), label })]
      })
      if (values.some(([, value]) => value !== null)) return Object.fromEntries(values)
      this.#replaceMissing(before, path)
      return null
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
    this.#missing.push({ path, reason: cell ? 'type' : 'not_found' })
    return null
  }

  #scalars(schema: LeafSchema, most: number, place: Place): unknown[] | null {
    const found = this.#candidates(schema, place).slice(0, most)
    if (found.length === 0) {
      if (place.labels.length > 0) this.#questions.push({ path: place.path, schema, isList: true })
      return null
    }
    return this.#elements(found, place, (candidate, path) => {
      if (typeof candidate === 'object') return this.#take(candidate, path)
      this.#missing.push({ path, reason: candidate })
      return null
    })
  }

  /** Returns the values of a list, from the first source with a quoted one. */
  #candidates(schema: LeafSchema, place: Place): Found[] {
    const { items, words, isOfPage, labels, path } = place
    const declared = items.map(group => declaredIn(group, words)).find(values => values !== undefined)
    const facts = isOfPage ? (this.#sources.facts.get(words.join('')) ?? []) : []
    const data = declared && { kind: 'data' as const, name: declared.path, values: declared.values }
    const lists = data ? [data, ...facts] : facts
    let first: Found[] = []
    for (const { kind, name, values } of lists) {
      const found = itemized(name, values).map(value => this.#only([value], schema, { kind, name, words }))
      if (found.some(one => typeof one === 'object')) return found
      if (first.length === 0) first = found
    }
    const labeled = this.#sources.labels.filter(label => labels.some(own => isLabel(label, own)))
    const [only, ...others] = labeled
    if (only && others.length === 0 && !only.isLoose) {
      const parts = partsOf(this.#sources.quoted.text.markdown, only.value)
      const read = parts.map(part => this.#sources.quoted.read(...part, schema))
      if (read.length > 0 && read.every(one => one !== undefined))
        return read.map(quoted => ({ kind: 'label', name: only.label, quoted }))
    }
    const answers = (this.#answers.get(path) ?? []).map(quote => this.#quotedBy(quote, schema))
    const quotes = answers.filter(one => typeof one === 'object')
    return quotes.length > 0 ? quotes : first
  }

  /** Reads the elements of a list. Elements without a value stay null, so that the others keep their places. */
  #elements<T>(given: readonly T[], place: Place, read: (one: T, path: string) => unknown): unknown[] | null {
    const before = this.#missing.length
    const list: unknown[] = []
    for (const [i, one] of given.entries()) {
      if (this.#left <= 0) break
      this.#left--
      list.push(read(one, `${place.path}/${i}`))
    }
    if (list.some(one => one !== null)) return list
    this.#replaceMissing(before, place.path)
    return []
  }
}

/** Returns the JSON Pointer of a property. */
function pathOf(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** The reasons, the one that says most last. */
const order: readonly MissingReason[] = ['not_found', 'type', 'no_quote', 'conflict']

function worst(reasons: readonly MissingReason[]): MissingReason {
  return order[Math.max(0, ...reasons.map(reason => order.indexOf(reason)))] ?? 'not_found'
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

/** Returns the parts of a text between commas or semicolons. */
function partsOf(markdown: string, [start, end]: Range): Range[] {
  const parts: Range[] = []
  let from = start
  for (const { index } of [...markdown.slice(start, end).matchAll(/[,;](?=\s)/g), { index: end - start }]) {
    const part = inner(markdown, [from, start + index])
    if (part[0] < part[1]) parts.push(part)
    from = start + index + 1
  }
  return parts
}
