import type { AsofError } from '@asof/extract/errors'
import type { AnalyzedCapture, AnalyzedGroup } from './analyzed-group.ts'

/** One analyzed capture, as its group and its index in the group. */
export interface Analyzed {
  group: AnalyzedGroup
  index: number
  /** The vector from the embeddings model. Undefined if there is no model or its call failed. */
  vector?: Int8Array
  /** The number of a stored capture with the same content, whose vector is reused. */
  sameAs?: number
}

/** One observation to add to the index, or aliases to declare. */
export type Entry = { kind: 'content'; analyzed: Analyzed } | PlainEntry

/**
 * An entry without content. `at` is the instant that the caller declared, epoch ms. If it is undefined, the engine
 * stamps the entry.
 */
export type PlainEntry =
  | { kind: 'removal'; url: string; at?: number }
  /**
   * `since` is the instant of the content that is unchanged, epoch ms. If it is undefined, the page was only seen.
   * `given` is the URL as the caller wrote it.
   */
  | { kind: 'sighting'; url: string; at?: number; since?: number; aliases?: readonly string[]; given?: string }
  | { kind: 'aliases'; url: string; at: number; aliases: readonly string[] }

/**
 * The result of an entry.
 * - `captured`: content with text that is new at its instant
 * - `revised`: content with new metadata only
 * - `unchanged`: other content, or a sighting
 * - `removed`: a removal of a page
 * - `absent`: a sighting or removal of a URL without a page
 * - `unmatched`: a sighting of content that the index does not have
 * - an error: the entry was rejected and changed nothing
 */
export type Outcome = 'captured' | 'revised' | 'unchanged' | 'removed' | 'absent' | 'unmatched' | AsofError

export function captureOf({ group, index }: Analyzed): AnalyzedCapture {
  return group.captures[index]!
}

/** Returns the instant that the caller declared, epoch ms; undefined if the engine stamps the entry. */
export function declaredAtOf(entry: Entry): number | undefined {
  return entry.kind === 'content' ? captureOf(entry.analyzed).acquiredAt : entry.at
}

export function urlOfEntry(entry: Entry): string {
  return entry.kind === 'content' ? captureOf(entry.analyzed).url : entry.url
}

/** Returns the aliases that an entry declares for its URL. */
export function aliasesOf(entry: Entry): readonly string[] {
  if (entry.kind === 'content') return captureOf(entry.analyzed).aliases
  return entry.kind === 'removal' ? [] : (entry.aliases ?? [])
}
