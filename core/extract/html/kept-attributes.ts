/** Attributes by which elements are indexed: they say what an element means or that it is hidden, and are rare. */
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
  'alt alttext cite class colspan content data-content-language data-lang data-language data-lazy-src ' +
  'data-original data-src data-srcset datetime display encoding height href hreflang http-equiv id lang language ' +
  'name open pubdate resource src srcset start title type value width xml:lang'

/** An attribute that the tree keeps. */
export interface KeptAttribute {
  /** Always the same string object, which is faster to compare than a slice of the source. */
  readonly name: string
  /** Counted from 0. */
  readonly number: number
  /** The name, if elements are indexed by it. */
  readonly indexed: IndexedAttribute | undefined
}

const kept = new Map<string, KeptAttribute>()
for (const name of indexed) kept.set(name, { name, number: kept.size, indexed: name })
for (const name of others.split(' ')) kept.set(name, { name, number: kept.size, indexed: undefined })

export const KEPT_ATTRIBUTES = kept.size

/** Hashes of length, first and last letter of the kept names: they rule most other names out without a slice. */
const shapes = new Uint8Array(4096)
for (const name of kept.keys()) shapes[shapeOf(name, 0, name.length)] = 1

function shapeOf(text: string, start: number, end: number): number {
  const [first, last] = [text.charCodeAt(start) | 0x20, text.charCodeAt(end - 1) | 0x20]
  return (((end - start) * 37 + first) * 37 + last) % shapes.length
}

/** The kept attribute whose name is in the source from `start` to `end`, if it is one. */
export function keptAttributeAt(source: string, start: number, end: number): KeptAttribute | undefined {
  if (shapes[shapeOf(source, start, end)] === 0) return undefined
  const written = source.slice(start, end)
  return kept.get(written) ?? kept.get(written.toLowerCase())
}
