import type { AddOptions } from '@asof/core'
import { UsageError } from '../command-failure.ts'
import type { Flags } from '../flags.ts'
import { clusterSettings } from '../settings/cluster-settings.ts'
import { mcpSettings } from '../settings/mcp-settings.ts'
import { llmSettings } from '../settings/model-settings.ts'
import { folderSettings } from '../settings/server-settings.ts'
import type { OptionText, Setting } from '../settings/setting.ts'

export const dataOption: OptionText = ['--data <dir>', 'data folder (env ASOF_DATA; default: ./data)']

export const jsonOption: OptionText = ['--json', 'print one JSON document instead of text']

export const responseOption: OptionText = ['--json', 'print the response of the HTTP API as JSON']

export const vectorsOption: OptionText = [
  '--vectors <when>',
  'when the embeddings model computes vectors: now, or later by `asof embed` (default: now)',
]

/** The options by which a query chooses its pages. */
export const filterOptions: readonly OptionText[] = [
  ['--site <domain>', 'only pages of this domain and its subdomains, such as example.com'],
  [
    '--sites <domains>',
    'only pages of these domains, which may have a path such as example.com/docs, separated by commas',
  ],
  ['--exclude-sites <domains>', 'no pages of these domains, which may have a path, separated by commas'],
  ['--filter <json>', `conditions on fields, such as '{"price": {"lt": 20}}'`],
  ['--acquired-after <time>', 'only pages indexed at or after this time'],
  ['--acquired-before <time>', 'only pages indexed at or before this time'],
  ['--published-after <time>', 'only pages published at or after this time'],
  ['--published-before <time>', 'only pages published at or before this time'],
]

/** The options by which the words of a query are read and weighed. */
export const wordOptions: readonly OptionText[] = [
  ['--strict', 'search only for what is written: no other forms of quoted words, no corrected or split words'],
  [
    '--weights <json>',
    `how often a word in the title counts, and fields to search too, such as '{"title": 6, "fields": {"brand": 2}}'`,
  ],
]

export const languageOption: OptionText = [
  '--language <tag>',
  'language of the query, such as de or pt-BR (default: detected from its words)',
]

/**
 * Returns when the vectors of added pages are computed.
 *
 * @param isServer - true if the pages are added by a server, which decides it by its own settings.
 * @throws UsageError
 */
export function vectorsIn({ vectors }: Flags, isServer: boolean): AddOptions['vectors'] {
  if (vectors === undefined) return undefined
  if (vectors !== 'now' && vectors !== 'later') throw new UsageError('--vectors must be now or later')
  if (isServer)
    throw new UsageError('--vectors is for a data folder: the server that --url names computes vectors at once')
  return vectors
}

/** The settings of commands that can run on a cluster. */
export const clusterOptions: readonly Setting[] = Object.values(clusterSettings)

const { isOn: _, shards, replicas, ...clusterPlace } = clusterSettings

/** The settings of a command that works on a cluster. Only `init`, `load` and `reindex` lay out an index. */
export function clusterPlaceOptions(command: string): Setting[] {
  const place: Setting[] = Object.values(clusterPlace)
  return ['init', 'load', 'reindex'].includes(command) ? [...place, shards, replicas] : place
}

/** The settings of commands that fetch pages live. */
export const liveOptions: readonly Setting[] = [folderSettings.storeLive, folderSettings.liveRobots]

/** The settings of the language model that answers prompts. */
export const modelOptions: readonly Setting[] = [llmSettings.baseUrl, llmSettings.model]

/** The settings of the tools that agents are offered besides search and fetch. */
export const mcpToolOptions: readonly Setting[] = [
  mcpSettings.feedback,
  mcpSettings.verify,
  mcpSettings.passages,
  mcpSettings.allArguments,
]

/** Explains the values of options with `<time>`, at the end of a help text. */
export const timeHelp = `
<time> is a date (2026-01-31), a timestamp (2026-01-31T10:00Z), or a delta back
from now (90min, 2h, 7d, 1mo, 1y).`

/** Returns example command lines, for the end of a help text. */
export function examples(...lines: string[]): string {
  return `\n${lines.length === 1 ? 'Example' : 'Examples'}:\n${lines.map(line => `  ${line}`).join('\n')}`
}
