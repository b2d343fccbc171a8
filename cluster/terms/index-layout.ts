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
  // asof refreshes the index itself after each change. A search sees only what was refreshed.
  'index.refresh_interval': '-1',
  'index.max_result_window': 10_000,
  // Versions of deleted documents are kept for longer than a request of a dead writer can be under way.
  'index.gc_deletes': '1h',
  // Captures up to an instant are then next to each other.
  'index.sort.field': 'acquiredAt',
  'index.similarity.asof': SIMILARITY,
  'index.analysis': {
    tokenizer: { slots: { type: 'whitespace', max_token_length: 1_000_000 } },
    filter: {
      each: { type: 'pattern_capture', preserve_original: false, patterns: [`([^${AND}]+)`] },
      // Keeps the position of an empty slot, without a term.
      present: { type: 'stop', stopwords: [NOTHING] },
    },
    analyzer: {
      terms: { type: 'custom', tokenizer: 'slots', filter: ['each', 'present'] },
      list: { type: 'custom', tokenizer: 'slots' },
    },
  },
}

/** The fields of the documents in the index of OpenSearch, one document for each capture. */
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
 * The fields that every capture has, with values for the markers of shards. No capture has these instants. If one document of a segment
 * lacked a field, Lucene would look up each document whenever it reads a value or a length, and writing an index took twice as long.
 */
export const LIKE_CAPTURES = {
  terms: NOTHING,
  url: '',
  id: 0,
  length: 0,
  acquiredAt: Number.MAX_SAFE_INTEGER,
  supersededAt: Number.MIN_SAFE_INTEGER,
}

/** Returns the name of the alias through which an index is changed. */
export const writeAlias = (index: string): string => `${index}-write`
