import type { Attributes } from './html-tree.ts'

/** Where pages put the address of a picture; those that load late put it anywhere but in `src`. */
const sources = ['data-src', 'data-original', 'data-lazy-src', 'src']
const sets = ['data-srcset', 'srcset']

/** The address of an `<img>` as written; `undefined` for placeholders, tracking pixels and pictures without one. */
export function pictureSource(attributes: Attributes): string | undefined {
  if (attributes.width === '1' || attributes.height === '1') return undefined
  for (const name of sources) {
    const value = attributes[name]
    if (value !== undefined && value !== '' && !value.startsWith('data:')) return value
  }
  for (const name of sets) {
    const first = attributes[name]?.trimStart().split(/[\s,]/, 1)[0]
    if (first !== undefined && first !== '' && !first.startsWith('data:')) return first
  }
  return undefined
}
