import type { Receipt } from '@asof/core'
import { printable, type SearchResponse } from '../../../service/index.ts'
import { pluralize } from './wording.ts'
import { joinItems } from './wrapped-text.ts'

type Explanation = NonNullable<SearchResponse['explain']>
type ScorePart = Explanation['scores'][number][number]

const decimal = (value: number) => value.toFixed(4)

/**
 * Returns as text for people: the time that each step of a search took, and for each result a table with the parts of its
 * score.
 */
export function explainText(
  { results }: Pick<SearchResponse, 'results'>,
  { timings, scores, language }: Explanation,
): string {
  const time = joinItems(
    Object.entries(timings).map(([step, ms]) => `${step.replace(/_ms$/, '').replace('_', '-')} ${ms.toFixed(2)}`),
    'time in ms: ',
    '  ',
  )
  const tables = scores.map(
    (parts, index) => `${index + 1}. ${printable(results[index]?.url ?? '')}\n${partsTable(parts)}`,
  )
  const head = language === undefined ? [time] : [time, `language of the query: ${language}`]
  return [...head, ...tables].join('\n')
}

/**
 * Returns the receipt of a search as text for people. The receipt says from what the answer was made. Counts of 0 are left out.
 */
export function receiptText({
  instant,
  captures,
  segments,
  format,
  analyzer,
  ranking,
  profile,
  declared,
  purged,
  dropped,
  retainedSince,
  relevanceSince,
  undated,
  vectors,
  reranker,
}: Receipt): string {
  const ofVectors = vectors
    ? [
        `model ${printable(vectors.model)}`,
        `query vector ${vectors.query}`,
        `${vectors.compared} compared`,
        `${vectors.late} late`,
      ]
    : []
  const facts = [
    `as of ${new Date(instant).toISOString()}`,
    // The segments also hold captures that had ended by then.
    `${pluralize(captures, 'capture')} stood`,
    segments !== undefined && pluralize(segments, 'segment'),
    declared > 0 && `${declared} declared`,
    purged > 0 && `${purged} purged`,
    dropped > 0 && `${dropped} deleted by retention`,
    retainedSince !== undefined && `complete since ${new Date(retainedSince).toISOString()}`,
    relevanceSince !== undefined && `relevance since ${new Date(relevanceSince).toISOString()}`,
    undated > 0 && `${undated} left out without a publish date`,
    `ranking ${ranking} (${profile})`,
    ...ofVectors,
    reranker !== undefined && `reranker ${printable(reranker)}`,
    `analyzer ${analyzer}`,
    `format ${format}`,
  ]
  const given = facts.filter(fact => fact !== false)
  return joinItems(given, 'receipt: ', '  ')
}

const columnNames = ['score', 'weight', 'value', 'words']

/**
 * Returns a table of the parts of a score. The names are the last column, so that wide characters in them do not move other
 * columns.
 */
function partsTable(parts: readonly ScorePart[]): string {
  if (parts.length === 0) return '   no score: the page was looked up by its URL, or listed as a page of the site'
  const sum = parts.reduce((score, part) => score + part.score, 0)
  const rows = [
    { cells: columnNames, name: 'part' },
    ...parts.map(part => ({ cells: figuresOf(part), name: nameOf(part) })),
    { cells: [decimal(sum), '', '', ''], name: 'sum' },
  ]
  const widths = columnNames.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]?.length ?? 0)))
  return rows
    .map(
      ({ cells, name }) => `   ${cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')}  ${name}`,
    )
    .join('\n')
}

function figuresOf(part: ScorePart): string[] {
  const [value, words] = 'signal' in part ? [decimal(part.value), ''] : [String(part.frequency), String(part.length)]
  return [decimal(part.score), decimal(part.weight), value, words]
}

function nameOf(part: ScorePart): string {
  if ('signal' in part) return `signal ${part.signal}`
  // Terms from a dictionary are indexed as `:<dictionary>=<word>`.
  const [, source, word] = /^:([^=]+)=(.+)$/u.exec(part.term) ?? []
  return printable(word === undefined ? part.term : `${word} (${source})`)
}
