import type { AsofError } from '../errors.ts'
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

/** One observation to enter into the index, or the claim of aliases alone. */
export type Entry = { kind: 'content'; analyzed: Analyzed } | PlainEntry

/** An entry without content. `at`: the instant that the caller declared, epoch ms; undefined: the engine stamps it. */
export type PlainEntry =
  | { kind: 'removal'; url: string; at?: number }
  /**
   * `since`: the instant of the content that was found again, epoch ms; undefined: only that the page was seen. `given`: the
   * URL as the caller gave it.
   */
  | { kind: 'sighting'; url: string; at?: number; since?: number; aliases?: readonly string[]; given?: string }
  | { kind: 'aliases'; url: string; at: number; aliases: readonly string[] }

/**
 * The result of an entry. Content is `captured` if its text is new at its instant, `revised` if only its metadata are new,
 * and `unchanged` otherwise, as is a page that was seen again. `absent`: a sighting or a removal of a URL without a page.
 * `unmatched`: a sighting of content that the index does not have. An error: the entry was rejected, and changed nothing.
 */
export type Outcome = 'captured' | 'revised' | 'unchanged' | 'removed' | 'absent' | 'unmatched' | AsofError

export function captureOf({ group, index }: Analyzed): AnalyzedCapture {
  return group.captures[index]!
}

/** The instant that the caller gave, epoch ms; undefined if the engine stamps the entry. */
export function declaredAtOf(entry: Entry): number | undefined {
  return entry.kind === 'content' ? captureOf(entry.analyzed).acquiredAt : entry.at
}

export function urlOf(entry: Entry): string {
  return entry.kind === 'content' ? captureOf(entry.analyzed).url : entry.url
}
