import { AsofError, shown } from '@asof/extract/errors'
import { type FieldItem, type FieldKind, fieldKinds, kindOfItem, RefusedValue } from '@asof/extract/field-kinds'
import type { FieldType } from '@asof/extract/page'
import { type DeltaOrigin, filterForms, filterSpan } from '../dates/resolve-times.ts'
import type { ParsedBound, ParsedCondition, ParsedFilter, ParsedValue } from './field-filter.ts'
import { fieldsPrefix, sortableNumber, typedPrefix, valueTerm } from './field-terms.ts'
import { describeItem } from './field-values.ts'

/** A range of terms with a prefix. Its ends are included unless they are open. */
export interface TermRange {
  prefix: string
  from?: RangeEnd
  to?: RangeEnd
}

interface RangeEnd {
  term: string
  isOpen: boolean
}

/**
 * A condition that pages fulfill by having one of the terms, or a term in one of the ranges. All terms are of one
 * field.
 */
export interface TermNode {
  kind: 'terms'
  field: string
  terms: readonly string[]
  ranges: readonly TermRange[]
}

/** A filter in the form in which it is evaluated. Equal parts are the same object, so that each is evaluated once. */
export type FilterNode =
  | { kind: 'all' | 'any'; parts: readonly FilterNode[] }
  | { kind: 'not'; part: FilterNode }
  | TermNode

/** A filter in which the values of each condition have the type of the field. */
export interface TypedFilter {
  root: FilterNode
  /** A text that is the same for equal filters. */
  key: string
  /** The distinct conditions with ranges, by field. */
  ranges: ReadonlyMap<string, readonly TermNode[]>
}

export interface FilterTyping {
  /**
   * Returns the type of a field; undefined if no page has the field.
   *
   * @param path - the path of the field in the filter.
   */
  typeOf: (field: string, path: string) => FieldType | undefined
  /** The origin from which deltas such as `7d` count. */
  origin: DeltaOrigin
  /** True if all values are texts of a query, to be read as values of the types of their fields. Default false. */
  readsTexts?: boolean
}

/**
 * Compiles a filter with the types of its fields. A condition on a field that no page has is fulfilled by no page.
 *
 * @throws ASOF_INVALID_OPTION - a value has another type than its field. In `details`, `field` is the path of the
 *   value, `value` is the value as given, and `type` is the type of the field.
 */
export function typedFilter(filter: ParsedFilter, typing: FilterTyping): TypedFilter {
  const root = new FilterBuilder(typing).node(filter)
  const ranges = Map.groupBy(new Set(rangesIn(root)), ({ field }) => field)
  return { root, key: JSON.stringify(root), ranges }
}

function* rangesIn(node: FilterNode): Generator<TermNode> {
  if (node.kind === 'not') yield* rangesIn(node.part)
  else if (node.kind !== 'terms') for (const part of node.parts) yield* rangesIn(part)
  else if (node.ranges.length > 0) yield node
}

class FilterBuilder {
  readonly #typing: FilterTyping
  readonly #nodes = new Map<string, FilterNode>()
  readonly #numbers = new Map<FilterNode, number>()

  constructor(typing: FilterTyping) {
    this.#typing = typing
  }

  node(filter: ParsedFilter): FilterNode {
    switch (filter.kind) {
      case 'not':
        return this.#not(this.node(filter.part))
      case 'all':
        return this.#group('all', [...new Set(filter.parts.map(part => this.node(part)))])
      case 'any':
        return this.#any(filter.parts.map(part => this.node(part)))
      default:
        return this.#condition(filter)
    }
  }

  #not(part: FilterNode): FilterNode {
    return part.kind === 'not' ? part.part : this.#shared({ kind: 'not', part }, `not ${this.#numbers.get(part)}`)
  }

  /** Joins filters by "or". Conditions on the same field become one condition. */
  #any(parts: readonly FilterNode[]): FilterNode {
    const byField = new Map<string, TermNode[]>()
    const others = new Set<FilterNode>()
    for (const part of parts) {
      if (part.kind === 'terms') byField.set(part.field, [...(byField.get(part.field) ?? []), part])
      else others.add(part)
    }
    const joined = [...byField].map(([field, nodes]) =>
      this.#terms(
        field,
        nodes.flatMap(({ terms }) => terms),
        nodes.flatMap(({ ranges }) => ranges),
      ),
    )
    return this.#group('any', [...joined, ...others])
  }

  #group(kind: 'all' | 'any', parts: readonly FilterNode[]): FilterNode {
    const [only] = parts
    if (parts.length === 1 && only) return only
    return this.#shared({ kind, parts }, `${kind} ${parts.map(part => this.#numbers.get(part)).join(' ')}`)
  }

  #condition(condition: ParsedCondition): FilterNode {
    const { field, path } = condition
    const type = this.#typing.typeOf(field, path)
    if (type === undefined) return this.#terms(field, [], [])
    const kind = fieldKinds[type]
    switch (condition.kind) {
      case 'exists':
        if (kind.indexedText) return this.#terms(field, [typedPrefix(field, type)], [])
        return this.#terms(field, [], [{ prefix: fieldsPrefix(field) }])
      case 'prefix':
        if (!kind.hasBeginnings) throw mismatch(condition.prefix.path, condition.prefix.value, field, kind)
        return this.#terms(field, [], [{ prefix: typedPrefix(field, type) + condition.prefix.value }])
      case 'range':
        return this.#terms(field, [], [this.#range(field, kind, condition.bounds)])
      case 'values': {
        const found = condition.values.map(value => this.#value(field, kind, value))
        return this.#terms(
          field,
          found.filter(one => typeof one === 'string'),
          found.filter(one => typeof one !== 'string'),
        )
      }
    }
  }

  #terms(field: string, terms: readonly string[], ranges: readonly TermRange[]): TermNode {
    const distinct = new Map(ranges.map(range => [JSON.stringify(range), range]))
    const node: TermNode = { kind: 'terms', field, terms: [...new Set(terms)].sort(), ranges: [...distinct.values()] }
    return this.#shared(node, JSON.stringify([field, node.terms, [...distinct.keys()].sort()]))
  }

  /** Returns the node that was first made under this name, so that equal nodes are one object. */
  #shared<N extends FilterNode>(node: N, name: string): N {
    const known = this.#nodes.get(name)
    if (known) return known as N
    this.#nodes.set(name, node)
    this.#numbers.set(node, this.#numbers.size)
    return node
  }

  /** Returns the term of a value. If the value is a day, returns the range of terms of that day. */
  #value(field: string, kind: FieldKind, { path, value }: ParsedValue): string | TermRange {
    if (kind.scale !== 'time') return this.#term(field, kind, { path, value })
    const { from, to } = this.#span(field, kind, { path, value })
    const prefix = typedPrefix(field, kind.name)
    const [first, last] = [prefix + sortableNumber(from), prefix + sortableNumber(to)]
    if (first === last) return first
    return {
      prefix,
      from: { term: first, isOpen: false },
      to: { term: last, isOpen: false },
    }
  }

  #range(field: string, kind: FieldKind, bounds: readonly ParsedBound[]): TermRange {
    const range: TermRange = { prefix: typedPrefix(field, kind.name) }
    for (const { name, path, value } of bounds) {
      const isLower = name === 'gt' || name === 'gte'
      const isOpen = name === 'gt' || name === 'lt'
      const end = { term: this.#boundTerm(field, kind, { path, value }, isLower === isOpen), isOpen }
      if (isLower) range.from = range.from ? stricter(range.from, end, 1) : end
      else range.to = range.to ? stricter(range.to, end, -1) : end
    }
    return range
  }

  /** @param isLast - if the bound is a span such as a day, true takes its last millisecond and false its first. */
  #boundTerm(field: string, kind: FieldKind, bound: ParsedValue, isLast: boolean): string {
    if (kind.isUnordered) throw mismatch(bound.path, bound.value, field, kind)
    if (kind.scale !== 'time') return this.#term(field, kind, bound)
    const { from, to } = this.#span(field, kind, bound)
    return typedPrefix(field, kind.name) + sortableNumber(isLast ? to : from)
  }

  /** Returns the term of a value that is not a time. */
  #term(field: string, kind: FieldKind, { path, value }: ParsedValue): string {
    const read = typeof value === 'string' ? kind.fromText?.(value) : undefined
    if (read instanceof RefusedValue) throw wrong(path, value, kind, read.reason)
    const item = this.#typing.readsTexts && typeof value === 'string' ? read : value
    if (item === undefined || kindOfItem(item) !== kind) throw mismatch(path, value, field, kind)
    return valueTerm(field, kind, kind.store(item))
  }

  /** Returns the first and the last millisecond of a value, which is an instant or a span such as a day. */
  #span(field: string, kind: FieldKind, { path, value }: ParsedValue): { from: number; to: number } {
    if (value instanceof Date) return { from: value.getTime(), to: value.getTime() }
    if (typeof value !== 'string') throw mismatch(path, value, field, kind)
    const span = filterSpan(value, this.#typing.origin)
    if ('reason' in span)
      throw wrong(
        path,
        value,
        kind,
        `is ${shown(value)}, which ${span.reason}; in this index the field ${field} is of type ${kind.name}: ` +
          `expected ${filterForms(this.#typing.origin)}`,
      )
    return span
  }
}

/**
 * Returns the end that excludes more of a range.
 *
 * @param direction - 1 for lower ends, −1 for upper ends.
 */
function stricter(a: RangeEnd, b: RangeEnd, direction: 1 | -1): RangeEnd {
  if (a.term === b.term) return a.isOpen ? a : b
  return (a.term > b.term ? 1 : -1) === direction ? a : b
}

function mismatch(path: string, value: FieldItem, field: string, kind: FieldKind): AsofError {
  return wrong(
    path,
    value,
    kind,
    `is ${describeItem(value, kindOfItem(value))}; in this index the field ${field} is of type ${kind.name}` +
      (kind.indexedText ? ': search for its words' : ''),
  )
}

function wrong(path: string, value: FieldItem, { name }: FieldKind, reason: string): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', `${path} ${reason}`, { details: { field: path, value, type: name } })
}
