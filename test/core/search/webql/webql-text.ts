import fc from 'fast-check'
import type { ParsedBound, ParsedCondition } from '../../../../core/fields/field-filter.ts'
import type { SearchField, SyntaxNode, WordsNode } from '../../../../core/search/webql/parser.ts'

/** Writes a tree as text, with only the parentheses that the grammar requires. */
export function written(node: SyntaxNode): string {
  switch (node.kind) {
    case 'and':
      return node.parts
        .map(part => (part.kind === 'and' || part.kind === 'or' ? `(${written(part)})` : written(part)))
        .join(' AND ')
    case 'or':
      return node.parts.map(part => (part.kind === 'or' ? `(${written(part)})` : written(part))).join(' OR ')
    case 'not':
      return node.part.kind === 'and' || node.part.kind === 'or'
        ? `NOT (${written(node.part)})`
        : `NOT ${written(node.part)}`
    case 'near':
      return `${written(node.left)} NEAR/${node.distance} ${written(node.right)}`
    case 'words':
      return `${prefixOf(node.field)}${node.quoted ? `"${node.text}"` : node.text}`
    case 'prefix':
      return `${prefixOf(node.field)}${node.text}*`
    case 'fuzzy':
      return `${prefixOf(node.field)}${node.text}~${node.distance ?? ''}`
    case 'range':
      return `${node.field}:[${node.from} TO ${node.to}]`
    case 'field':
      return `${node.condition.field}:${writtenCondition(node.condition)}`
  }
}

const signs = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

function writtenCondition(condition: ParsedCondition): string {
  if (condition.kind === 'exists') return '*'
  if (condition.kind === 'prefix') return `${condition.prefix.value}*`
  if (condition.kind === 'values') return condition.values.map(({ value }) => `"${value}"`).join()
  const [first, second] = condition.bounds
  return second ? `${first?.value}..${second.value}` : `${signs[first!.name]}${first!.value}`
}

function prefixOf(field: SearchField | undefined): string {
  return field ? `${field}:` : ''
}

/** A copy of a tree with all positions set to 0. */
export function withoutPositions(node: SyntaxNode): SyntaxNode {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { ...node, parts: node.parts.map(withoutPositions) }
    case 'not':
      return { ...node, part: withoutPositions(node.part) }
    case 'near':
      return { ...node, left: { ...node.left, at: 0 }, right: { ...node.right, at: 0 } }
    default:
      return { ...node, at: 0 }
  }
}

export interface Vocabulary {
  words: readonly string[]
  urlWords: readonly string[]
  authorWords: readonly string[]
  sites: readonly string[]
  languages: readonly string[]
  kinds: readonly string[]
  /** Bounds of ranges. */
  times: readonly string[]
  /** Values of fields of pages, by field. Default: no conditions on fields. */
  fieldValues?: Readonly<Record<string, readonly string[]>>
}

/** Conditions on fields of pages. A prefix is only for a field of keywords: those with a letter in each value. */
function conditions(fieldValues: NonNullable<Vocabulary['fieldValues']>): fc.Arbitrary<ParsedCondition> {
  return fc.constantFrom(...Object.entries(fieldValues)).chain(([field, values]) => {
    const base = { field, path: field }
    const value = fc.constantFrom(...values)
    const bound = (name: ParsedBound['name']): fc.Arbitrary<ParsedBound> =>
      value.map(text => ({ path: field, name, value: text }))
    const names = fc.constantFrom('lt' as const, 'lte' as const, 'gt' as const, 'gte' as const)
    const cases: fc.Arbitrary<ParsedCondition>[] = [
      value.map(text => ({ ...base, kind: 'values', values: [{ path: field, value: text }] })),
      names.chain(bound).map(one => ({ ...base, kind: 'range', bounds: [one] })),
      fc.tuple(bound('gte'), bound('lte')).map(bounds => ({ ...base, kind: 'range', bounds })),
      fc.constant({ ...base, kind: 'exists' }),
    ]
    if (values.every(text => /^[a-z]/.test(text)))
      cases.push(value.map(text => ({ ...base, kind: 'prefix', prefix: { path: field, value: text.slice(0, 1) } })))
    return fc.oneof(...cases)
  })
}

/** Random trees over a vocabulary, with every kind of node. */
export function trees(vocabulary: Vocabulary): fc.Arbitrary<SyntaxNode> {
  const { words, urlWords, authorWords, sites, languages, kinds, times, fieldValues } = vocabulary
  const word = fc.constantFrom(...words)
  const ofField = (field: SearchField | undefined): { field?: SearchField } => (field ? { field } : {})
  const wordFields = fc.constantFrom<SearchField | undefined>(undefined, undefined, undefined, 'title', 'url', 'author')
  const wordOf = (field: SearchField | undefined): fc.Arbitrary<string> =>
    field === 'url' ? fc.constantFrom(...urlWords) : field === 'author' ? fc.constantFrom(...authorWords) : word
  const wordsIn = (field: SearchField | undefined): fc.Arbitrary<WordsNode> =>
    fc.oneof(
      wordOf(field).map((text): WordsNode => ({ kind: 'words', ...ofField(field), text, quoted: false, at: 0 })),
      fc
        .array(wordOf(field), { minLength: 1, maxLength: 3 })
        .map((list): WordsNode => ({ kind: 'words', ...ofField(field), text: list.join(' '), quoted: true, at: 0 })),
    )
  const valued = (field: SearchField, values: readonly string[]): fc.Arbitrary<SyntaxNode> =>
    fc.constantFrom(...values).map((text): SyntaxNode => ({ kind: 'words', field, text, quoted: false, at: 0 }))
  const ofPageFields = fieldValues
    ? [conditions(fieldValues).map((condition): SyntaxNode => ({ kind: 'field', condition, at: 0 }))]
    : []
  const leaf: fc.Arbitrary<SyntaxNode> = fc.oneof(
    { weight: 8, arbitrary: wordFields.chain(wordsIn) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(wordFields, fc.integer({ min: 1, max: 6 }))
        .chain(([field, distance]) =>
          fc
            .tuple(wordsIn(field), wordsIn(field))
            .map(([left, right]): SyntaxNode => ({ kind: 'near', left, right, distance })),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(wordFields, fc.integer({ min: 2, max: 5 }))
        .chain(([field, length]) =>
          wordOf(field).map(
            (text): SyntaxNode => ({ kind: 'prefix', ...ofField(field), text: text.slice(0, length), at: 0 }),
          ),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(wordFields, fc.constantFrom<1 | 2 | undefined>(undefined, 1, 2))
        .chain(([field, distance]) =>
          wordOf(field).map((text): SyntaxNode => ({ kind: 'fuzzy', ...ofField(field), text, distance, at: 0 })),
        ),
    },
    valued('site', sites),
    valued('lang', languages),
    valued('type', kinds),
    ...ofPageFields.map(arbitrary => ({ weight: 3, arbitrary })),
    fc
      .tuple(
        fc.constantFrom('published' as const, 'acquired' as const),
        fc.constantFrom(...times),
        fc.constantFrom(...times),
      )
      .map(([field, from, to]): SyntaxNode => ({ kind: 'range', field, from, to, at: 0 })),
  )
  const { tree } = fc.letrec<{ tree: SyntaxNode }>(tie => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      leaf,
      fc
        .tuple(fc.constantFrom('and' as const, 'or' as const), fc.array(tie('tree'), { minLength: 2, maxLength: 4 }))
        .map(([kind, parts]): SyntaxNode => ({ kind, parts })),
      tie('tree').map((part): SyntaxNode => ({ kind: 'not', part })),
    ),
  }))
  return tree
}
