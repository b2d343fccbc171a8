import { SIMILARITY } from './term-boost.ts'
import { AND, NOTHING } from './terms-text.ts'

/** How an index is laid out when it is created. */
export interface IndexLayout {
  /** Number of shards. */
  shards: number
  /** Number of copies of each shard besides the first. */
  replicas: number
}

/** The settings of an index, besides the numbers of shards and copies. */
export const INDEX_SETTINGS = {
  // A search sees what was refreshed after a change, and only that.
  'index.refresh_interval': '-1',
  'index.max_result_window': 10_000,
  // Deletions are remembered for longer than any request of a dead writer can be on its way.
  'index.gc_deletes': '1h',
  // The captures up to an instant then lie side by side.
  'index.sort.field': 'acquiredAt',
  'index.similarity.asof': SIMILARITY,
  'index.analysis': {
    tokenizer: { slots: { type: 'whitespace', max_token_length: 1_000_000 } },
    filter: {
      each: { type: 'pattern_capture', preserve_original: false, patterns: [`([^${AND}]+)`] },
      // Leaves the position of an empty slot free.
      present: { type: 'stop', stopwords: [NOTHING] },
    },
    analyzer: {
      terms: { type: 'custom', tokenizer: 'slots', filter: ['each', 'present'] },
      list: { type: 'custom', tokenizer: 'slots' },
    },
  },
}

/** The fields of its documents. */
export const INDEX_MAPPINGS = {
  dynamic: false,
  properties: {
    terms: { type: 'text', analyzer: 'terms', similarity: 'asof', index_options: 'positions' },
    misplaced: { type: 'text', analyzer: 'list', index_options: 'docs', norms: false },
    acquiredAt: { type: 'long' },
    supersededAt: { type: 'long' },
    publishedAt: { type: 'long' },
    revisedAt: { type: 'long' },
    revisedValues: { type: 'keyword', index: false },
    revisedOften: { type: 'boolean' },
    values: { type: 'keyword' },
    // Orders captures of the same instant.
    url: { type: 'keyword', index: false },
    id: { type: 'long', index: false },
    length: { type: 'integer', index: false },
    marker: { type: 'long' },
  },
}

/**
 * The values that all captures have, for the markers, whose instants are those of no capture. If one document of a segment lacks a field,
 * Lucene looks each document up whenever it reads a value or a length, and an index took twice as long to write.
 */
export const LIKE_CAPTURES = {
  ...{ terms: NOTHING, url: '', id: 0, length: 0 },
  ...{ acquiredAt: Number.MAX_SAFE_INTEGER, supersededAt: Number.MIN_SAFE_INTEGER },
}

/** The name of an index for changes. */
export const writeAlias = (index: string): string => `${index}-write`
