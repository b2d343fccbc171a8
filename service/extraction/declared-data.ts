import type { StructuredItem } from '@asof/extract'
import { pathsOf } from './property-aliases.ts'
import { foldedWords } from './value-reading.ts'
import type { LeafSchema, ObjectSchema } from './value-schema.ts'

/** Values that structured data declare for one property, and the path of properties at which they are. */
export interface DeclaredValues {
  path: string
  values: readonly unknown[]
}

/** Maximum number of items of a page that are looked at, and of values of one property. */
const MAX_ITEMS = 500
const MAX_VALUES = 200

/** Types of items that describe the site and the frame of the page, and not what the page is about. */
const furniture = new Set(
  'website webpage organization newsmediaorganization breadcrumblist listitem searchaction sitenavigationelement wpheader wpfooter wpsidebar imageobject'.split(
    ' ',
  ),
)

/** The structured data of a page, as what a schema asks for. */
export class DeclaredData {
  readonly #items: readonly StructuredItem[]
  readonly #title: string

  /** @param title - the title of the page. Of several items of one kind, the one with this name is what the page is about. */
  constructor(items: readonly StructuredItem[], title: string) {
    this.#items = items.slice(0, MAX_ITEMS)
    this.#title = foldedWords(title).join(' ')
  }

  /**
   * Returns the items that the object of a schema is about: those with most of its properties, unless its `title` is the name of a type.
   * Behind them are the items about the page as such.
   */
  rootItems(schema: ObjectSchema): readonly (readonly StructuredItem[])[] {
    const named = schema.title === undefined ? [] : this.itemsOfType(schema.title)
    const own = this.#items.flatMap(item => [item, ...itemsIn(valuesAt(item, ['mainentity']))]).slice(0, MAX_ITEMS)
    const main = own.filter(item => !typesOf(item).every(type => furniture.has(type)))
    const asked = named.length > 0 ? named : main.length > 0 ? main : own
    const properties = schema.properties.map(({ name }) => pathsOf(foldedWords(name)).map(foldedPath))
    const scores = asked.map(item => this.#score(item, properties))
    const most = Math.max(...scores)
    const best = asked.filter((_, i) => most > 0 && scores[i] === most)
    return [best, own.filter(item => typesOf(item).includes('webpage'))]
  }

  /** Returns the items of a type, whatever the case of its letters, those inside of others too. */
  itemsOfType(type: string): readonly StructuredItem[] {
    const sought = foldedWords(type).join('')
    return everyItem(this.#items).filter(item => typesOf(item).includes(sought))
  }

  /** @param properties - the folded paths of each property. */
  #score(item: StructuredItem, properties: readonly (readonly string[][])[]): number {
    const found = properties.filter(paths => paths.some(path => valuesAt(item, path).length > 0)).length
    const isOfTitle = ['headline', 'name'].some(name =>
      valuesAt(item, [name]).some(value => this.#title.includes(foldedWords(String(value)).join(' '))),
    )
    return found > 0 && isOfTitle ? found + 0.5 : found
  }
}

/** Returns the values that items have for a property, by its name or an alias. Undefined if none has any. */
export function declaredIn(items: readonly StructuredItem[], words: readonly string[]): DeclaredValues | undefined {
  for (const path of pathsOf(words)) {
    const folded = foldedPath(path)
    const values = items.flatMap(item => valuesAt(item, folded)).slice(0, MAX_VALUES)
    const [item] = items
    if (item && values.length > 0) return { path: shownPath(item, path, folded), values }
  }
  return undefined
}

function foldedPath(path: readonly string[]): string[] {
  return path.map(name => foldedWords(name).join(''))
}

function shownPath(item: StructuredItem, path: readonly string[], folded: readonly string[]): string {
  const [type]: unknown[] = [item['@type']].flat()
  const own = path.length > 1 ? undefined : Object.keys(item).find(key => foldedWords(key).join('') === folded[0])
  const names = own === undefined ? path : [own]
  return (typeof type === 'string' ? [type, ...names] : names).join('.')
}

/** Returns the scalar that a value stands for: an item stands for its name, its number, or its address. */
export function scalarOf(value: unknown, { type, format }: LeafSchema): unknown {
  if (!isItem(value)) return value
  const names = format === 'uri' ? ['url', 'contenturl'] : type === 'string' ? ['name'] : ['value', 'name']
  return names.flatMap(name => valuesAt(value, [name])).find(one => !isItem(one))
}

/** Returns the items among values. A value of another kind stands for an item with this name. */
export function itemsIn(values: readonly unknown[]): StructuredItem[] {
  return values.map(value => {
    if (!isItem(value)) return { name: value }
    const [inner] = typesOf(value).includes('listitem') ? valuesAt(value, ['item']) : []
    return isItem(inner) ? inner : value
  })
}

const foldedKeys = new WeakMap<StructuredItem, ReadonlyMap<string, unknown>>()

function propertiesOf(item: StructuredItem): ReadonlyMap<string, unknown> {
  const known = foldedKeys.get(item)
  if (known) return known
  const names = Object.keys(item).filter(name => !name.startsWith('@'))
  const properties = new Map(names.map(name => [foldedWords(name).join(''), item[name]]))
  foldedKeys.set(item, properties)
  return properties
}

/** Returns the values at a path of folded names. A list stands for its values. */
function valuesAt(item: StructuredItem, path: readonly string[]): unknown[] {
  let values: unknown[] = [item]
  for (const name of path)
    values = values
      .flatMap(value => (isItem(value) ? [propertiesOf(value).get(name)] : []))
      .flat(2)
      .slice(0, MAX_VALUES)
  return values.filter(value => value !== undefined && value !== null && value !== '')
}

function everyItem(items: readonly StructuredItem[]): StructuredItem[] {
  const every: StructuredItem[] = [...items]
  // The list grows while it is read.
  for (const item of every) {
    if (every.length >= MAX_ITEMS) break
    every.push(...Object.values(item).flat(2).filter(isItem).slice(0, MAX_ITEMS))
  }
  return every.slice(0, MAX_ITEMS)
}

function typesOf(item: StructuredItem): string[] {
  const types: unknown[] = [item['@type']].flat()
  return types.filter(type => typeof type === 'string').map(type => type.slice(type.lastIndexOf('/') + 1).toLowerCase())
}

function isItem(value: unknown): value is StructuredItem {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
