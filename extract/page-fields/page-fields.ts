import type { FieldItem } from '../field-kinds/field-kind.ts'
import { type HtmlTree, textOf } from '../html/html-tree.ts'
import type { LinkResolver } from '../html/link-resolver.ts'
import type { Fields, FieldValue, StructuredItem } from '../page.ts'
import { MAX_KEYWORD_UNITS, MAX_VALUES } from '../page.ts'
import { parseMicrodata } from '../structured/microdata.ts'
import type { PageMetadata } from '../structured/page-metadata.ts'
import { jsonLdItems } from '../structured/structured-data.ts'
import type { DayOrder } from '../written-dates/date-text.ts'
import { CssElements } from './css-elements.ts'
import type { ParsedRule, ParsedSource } from './field-rules.ts'
import { valuesAtPath } from './property-path.ts'
import { typedValue } from './typed-value.ts'

interface PageParts {
  tree: HtmlTree
  metadata: PageMetadata
  resolver: LinkResolver
  /** The order of day and month in ambiguous dates of the page. */
  order: DayOrder
}

/**
 * Reads the fields of a page by rules. A field without a value of its type is absent. A field with one value has that value, others have a
 * list without repetitions. Values that cannot be read as the type, or are too long for a keyword, are left out.
 *
 * @returns undefined if the page has none of the fields.
 */
export function extractFields(rules: readonly ParsedRule[], page: PageParts): Fields | undefined {
  const sources = new SourceReader(page)
  const found = rules.flatMap(rule => {
    const values = valuesOf(rule, sources, page.order)
    return values.length === 0 ? [] : [[rule.name, values.length === 1 ? values[0] : values] as [string, FieldValue]]
  })
  return found.length === 0 ? undefined : Object.fromEntries(found)
}

function valuesOf({ type, isFirstOnly, sources }: ParsedRule, reader: SourceReader, order: DayOrder): FieldItem[] {
  const most = isFirstOnly ? 1 : MAX_VALUES
  for (const source of sources) {
    const values = new Map<unknown, FieldItem>()
    for (const value of reader.values(source)) {
      const typed = typedValue(value, type, order)
      if (typed !== undefined) values.set(identityOf(typed), typed)
      if (values.size === most) break
    }
    if (values.size > 0) return [...values.values()]
  }
  return []
}

/** Returns a primitive value that is equal for equal values of one type. */
function identityOf(value: FieldItem): string | number | boolean {
  return typeof value === 'object' ? JSON.stringify(value) : value
}

/** Reads the values of sources. What several sources need is read once. */
class SourceReader {
  readonly #page: PageParts
  readonly #css: CssElements
  #jsonLd: readonly StructuredItem[] | undefined
  #microdata: readonly StructuredItem[] | undefined

  constructor(page: PageParts) {
    this.#page = page
    this.#css = new CssElements(page.tree)
  }

  values(source: ParsedSource): Iterable<unknown> {
    const { tree, metadata, resolver } = this.#page
    switch (source.kind) {
      case 'json-ld':
        this.#jsonLd ??= jsonLdItems(metadata)
        return valuesAtPath(this.#jsonLd, source)
      case 'microdata':
        this.#microdata ??= parseMicrodata(tree, resolver)
        return valuesAtPath(this.#microdata, source)
      case 'meta':
        return metadata.metaAll.get(source.name) ?? []
      case 'css':
        return this.#elements(source)
    }
  }

  *#elements({ selector, attribute }: Extract<ParsedSource, { kind: 'css' }>): Generator<string> {
    const { tree } = this.#page
    let read = 0
    for (const element of this.#css.matching(selector)) {
      if (++read > MAX_ELEMENTS) return
      // The text of an element may be its whole page. One character more shows that a text is too long.
      if (attribute === undefined) yield textOf(tree, element, MAX_KEYWORD_UNITS + 1)
      else if (Object.hasOwn(element.attributes, attribute)) yield element.attributes[attribute]!
    }
  }
}

/** Maximum number of elements of one selector that are read. */
const MAX_ELEMENTS = 1_000
