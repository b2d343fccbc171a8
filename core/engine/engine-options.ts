import { invalidOption, optionsReader } from '@asof/extract/errors'
import type { BulkOptions } from '../bulk/bulk-report.ts'
import type { ExportOptions } from '../history/history-export.ts'
import type { HistoryOptions, PageOptions } from '../history/page-version.ts'
import type { AddOptions } from '../ingest/add-captures.ts'
import type { EmbedOptions } from '../ingest/missing-vectors.ts'
import type { PassagesOptions } from '../passages/passages-answer.ts'
import type { RelevanceOptions } from '../relevance/relevance.ts'
import type { FieldsOptions } from '../search/fields/fields-as-of.ts'
import type { SearchOptions } from '../search/search-answer.ts'
import type { BackupOptions } from '../store/backup/backup.ts'
import type { SuggestOptions } from '../suggest/suggestion.ts'
import type { Engine, RemoveOptions } from './engine.ts'

/**
 * Options under the names that they have in other search APIs, so that the error for such a name can suggest the right
 * one.
 */
const searchSynonyms = {
  limit: 'maxResults',
  count: 'maxResults',
  size: 'maxResults',
  topk: 'maxResults',
  numresults: 'maxResults',
  asof: 'queryTime',
  at: 'queryTime',
  domain: 'site',
  host: 'site',
  filters: 'filter',
  where: 'filter',
  domains: 'sites',
  aggregations: 'facets',
  aggs: 'facets',
  orderby: 'sort',
  skip: 'offset',
  after: 'cursor',
  since: 'publishedAfter',
  until: 'publishedBefore',
  asyoutype: 'typing',
  typeahead: 'typing',
}

const countSynonyms = { limit: 'maxResults', count: 'maxResults', size: 'maxResults' }
const partSynonyms = { ...countSynonyms, after: 'cursor', next: 'cursor' }

/** Which pages match, and how they are ranked: the options that a search and a search for passages share. */
const matchOptions = {
  mode: 'string',
  site: 'string',
  sites: 'list',
  excludeSites: 'list',
  filter: 'object',
  acquiredAfter: 'time',
  acquiredBefore: 'time',
  publishedAfter: 'time',
  publishedBefore: 'time',
  weeksInFilters: 'boolean',
  queryTime: 'time',
  language: 'string',
  weights: 'object',
  strict: 'boolean',
  models: 'boolean',
} as const

/** Checks the options of `Engine.search` and `Engine.check`. */
export const readSearchOptions = optionsReader<SearchOptions>(
  {
    ...matchOptions,
    maxResults: 'number',
    facets: 'list',
    maxFacetValues: 'number',
    sort: 'string',
    offset: 'number',
    cursor: 'string',
    typing: 'boolean',
    snippetMaxLength: 'number',
    contentMaxLength: 'number',
    passages: 'object',
    details: 'boolean',
    titleHighlights: 'boolean',
    explain: 'boolean',
  },
  { synonyms: searchSynonyms },
)

export const readPassagesOptions = optionsReader<PassagesOptions>(
  {
    ...matchOptions,
    maxChars: 'number',
    maxTokens: 'number',
    maxPerPage: 'number',
  },
  {
    synonyms: { ...searchSynonyms, limit: 'maxPerPage', maxlength: 'maxChars', chars: 'maxChars', tokens: 'maxTokens' },
  },
)

export const readPageOptions = optionsReader<PageOptions>(
  { queryTime: 'time', supersededAt: 'boolean', markdownMaxLength: 'number' },
  { synonyms: searchSynonyms },
)

export const readRelevanceOptions = optionsReader<RelevanceOptions>({ queryTime: 'time' }, { synonyms: searchSynonyms })

export const readFieldsOptions = optionsReader<FieldsOptions>(
  { queryTime: 'time', maxExamples: 'number' },
  { synonyms: searchSynonyms },
)

export const readSuggestOptions = optionsReader<SuggestOptions>(
  { maxResults: 'number', queryTime: 'time' },
  { synonyms: { ...countSynonyms, ...searchSynonyms } },
)

export const readHistogramOptions = optionsReader<NonNullable<Parameters<Engine['captureHistogram']>[0]>>({
  maxBins: 'number',
})

export const readHistoryOptions = optionsReader<HistoryOptions>(
  { queryTime: 'time', cursor: 'string', maxResults: 'number' },
  { synonyms: { ...partSynonyms, asof: 'queryTime', at: 'queryTime' } },
)

export const readVersionsOptions = optionsReader<Pick<HistoryOptions, 'queryTime'>>(
  { queryTime: 'time' },
  { synonyms: searchSynonyms },
)

export const readExportOptions = optionsReader<ExportOptions>(
  { cursor: 'string', maxResults: 'number' },
  { synonyms: partSynonyms },
)

export const readRemoveOptions = optionsReader<RemoveOptions>(
  { at: 'time' },
  { synonyms: { removedat: 'at', querytime: 'at' } },
)

const readAddOptions = optionsReader<AddOptions>({ vectors: 'string' })

/** @throws ASOF_INVALID_OPTION */
export function checkedAddOptions(given: AddOptions | undefined): AddOptions {
  const options = readAddOptions(given)
  const { vectors = 'now' } = options
  if (vectors !== 'now' && vectors !== 'later') throw invalidOption('vectors', "must be 'now' or 'later'")
  return options
}

export const readEmbedOptions = optionsReader<EmbedOptions>({ onProgress: 'function', signal: 'signal' })

export const readBackupOptions = optionsReader<BackupOptions>({
  beside: 'function',
  onProgress: 'function',
  signal: 'signal',
})

export const readBulkOptions = optionsReader<BulkOptions>(
  { at: 'time', dryRun: 'boolean', signal: 'signal', onProgress: 'function' },
  { synonyms: { querytime: 'at', asof: 'at' } },
)
