/** The attributes that the tree indexes. They are rare, and show what an element means or that it is hidden. */
const indexed = [
  'aria-hidden',
  'aria-label',
  'hidden',
  'itemprop',
  'itemscope',
  'itemtype',
  'property',
  'rel',
  'role',
  'style',
  'typeof',
  'vocab',
] as const
export type IndexedAttribute = (typeof indexed)[number]
const others =
  'alt alttext aria-checked checked cite class close colspan content data-c data-content-language data-lang data-language data-latex ' +
  'data-lazy-src data-line data-line-number data-line-numbers data-mml-node data-original data-src data-srcset datetime disabled display encoding epub:type height href hreflang ' +
  'http-equiv id lang language linethickness name open pubdate resource reversed rowspan separators shadowroot ' +
  'shadowrootmode slot src srcdoc srcset start title type value width xml:lang'

/** An attribute that the tree keeps for each element. */
export interface KeptAttribute {
  /** The name, always as the same string object, because that is faster to compare. */
  readonly name: string
  /** Number of the attribute, counted from 0. */
  readonly number: number
  /** The name, if the tree indexes the attribute. */
  readonly indexed: IndexedAttribute | undefined
}

const kept = new Map<string, KeptAttribute>()
for (const name of indexed) kept.set(name, { name, number: kept.size, indexed: name })
for (const name of others.split(' ')) kept.set(name, { name, number: kept.size, indexed: undefined })

/** True for the name of an attribute that the tree indexes. */
export function isIndexed(name: string): name is IndexedAttribute {
  return kept.get(name)?.indexed !== undefined
}

export const KEPT_ATTRIBUTES = kept.size

/**
 * Hashes of length, first and last letter that belong to kept names. Most other names have another hash, and need not
 * be sliced from the source.
 */
const shapes = new Uint8Array(4096)
for (const name of kept.keys()) shapes[shapeOf(name, 0, name.length)] = 1

function shapeOf(text: string, start: number, end: number): number {
  const [first, last] = [text.charCodeAt(start) | 0x20, text.charCodeAt(end - 1) | 0x20]
  return (((end - start) * 37 + first) * 37 + last) % shapes.length
}

/** Returns the kept attribute whose name is in the source of a page from `start` to `end`; undefined for other names. */
export type AttributeFinder = (source: string, start: number, end: number) => KeptAttribute | undefined

/** Returns a finder that also finds further attributes, whose names are in lower case. Elements are not indexed by them. */
export function findingAlso(names: readonly string[]): AttributeFinder {
  const further = new Map<string, KeptAttribute>()
  for (const name of names)
    if (!kept.has(name)) further.set(name, { name, number: kept.size + further.size, indexed: undefined })
  if (further.size === 0) return keptAttributeAt
  return (source, start, end) =>
    keptAttributeAt(source, start, end) ?? further.get(source.slice(start, end).toLowerCase())
}

/** Returns the kept attribute whose name is in the source from `start` to `end`; undefined for other names. */
export function keptAttributeAt(source: string, start: number, end: number): KeptAttribute | undefined {
  if (shapes[shapeOf(source, start, end)] === 0) return undefined
  const written = source.slice(start, end)
  return kept.get(written) ?? kept.get(written.toLowerCase())
}
