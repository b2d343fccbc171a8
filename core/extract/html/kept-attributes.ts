/** Attributes that elements are found by: they say what an element means or that it is hidden, and few have one. */
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
  /** One string for each: a name cut out of the source is another, and slower to compare. */
  readonly name: string
  /** From 0. */
  readonly number: number
  /** The name, when elements are found by it. */
  readonly indexed: IndexedAttribute | undefined
}

const kept = new Map<string, KeptAttribute>()
for (const name of indexed) kept.set(name, { name, number: kept.size, indexed: name })
for (const name of others.split(' ')) kept.set(name, { name, number: kept.size, indexed: undefined })

export const KEPT_ATTRIBUTES = kept.size

/** Marks lengths, first and last letters of the kept: most of the others need not be cut out to be told. */
const shapes = new Uint8Array(4096)
for (const name of kept.keys()) shapes[shapeOf(name, 0, name.length)] = 1

function shapeOf(text: string, start: number, end: number): number {
  const [first, last] = [text.charCodeAt(start) | 0x20, text.charCodeAt(end - 1) | 0x20]
  return (((end - start) * 37 + first) * 37 + last) % shapes.length
}

/** The kept attribute that is written from `start` to `end`, if it is one. */
export function keptAttributeAt(source: string, start: number, end: number): KeptAttribute | undefined {
  if (shapes[shapeOf(source, start, end)] === 0) return undefined
  const written = source.slice(start, end)
  return kept.get(written) ?? kept.get(written.toLowerCase())
}
