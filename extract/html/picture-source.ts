import type { Attributes } from './html-tree.ts'

/** Attributes with the URL of an image, most reliable first. For images that load late, `src` is only a placeholder. */
const sources = ['data-src', 'data-original', 'data-lazy-src', 'src']
const sets = ['data-srcset', 'srcset']

/** Returns the URL of an `<img>` as written. Undefined for placeholders, tracking pixels and images without a URL. */
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
