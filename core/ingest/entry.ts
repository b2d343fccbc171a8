import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'

/** An analyzed capture: its place in its group. */
export interface Analyzed {
  group: AnalyzedGroup
  index: number
  /** The vector that the embeddings model computed for it; undefined if there is no model or it failed. */
  vector?: Int8Array
  /** A capture in the index with the same content, whose vector is reused. */
  sameAs?: number
}

/**
 * One observation to enter into the index. A `sighting` entry comes without content (`Engine.seen`), so the history of its URL
 * records it as `seen`.
 */
export type Entry = { kind: 'content'; analyzed: Analyzed } | { kind: 'sighting' | 'removal'; url: string }

/**
 * The result of an entry. Content is `captured` if its text is new at its instant, `revised` if only its metadata are new,
 * and `unchanged` otherwise, as is a page that was seen again. `absent`: a sighting or a removal of a URL without a page.
 */
export type Outcome = 'captured' | 'revised' | 'unchanged' | 'removed' | 'absent'

export function captureOf({ group, index }: Analyzed): AnalyzedCapture {
  return group.captures[index]!
}

export function urlOf(entry: Entry): string {
  return entry.kind === 'content' ? captureOf(entry.analyzed).url : entry.url
}
