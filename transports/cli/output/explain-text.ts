import type { Explanation, ScorePart } from '@asof/core'
import { printable, type SearchResponse } from '../../service/index.ts'

const milliseconds = (ms: number) => `${ms.toFixed(2)} ms`
const decimal = (value: number) => value.toFixed(4)

/** Where the time of an answer went and what the scores of its results are made of, a table for each, for a reader. */
export function explainText({ results }: SearchResponse, { timings, scores, language }: Explanation): string {
  const { parse, statistics, topK, snippets, total } = timings
  const steps = Object.entries({ parse, statistics, 'top-k': topK, snippets, total })
  const time = `time: ${steps.map(([step, ms]) => `${step} ${milliseconds(ms)}`).join(', ')}`
  const parts = scores.map((of, index) => `${index + 1}. ${printable(results[index]?.url ?? '')}\n${partsTable(of)}`)
  return [time, ...(language === undefined ? [] : [`language of the query: ${language}`]), ...parts].join('\n')
}

const heads = ['score', 'weight', 'value', 'words']

/** Figures first: names of any script, however wide their letters are, then stand under one another. */
function partsTable(parts: readonly ScorePart[]): string {
  if (parts.length === 0) return '   no score: it was looked up by its URL, or listed as a page of the site'
  const sum = parts.reduce((score, part) => score + part.score, 0)
  const rows = [
    { cells: heads, name: 'part' },
    ...parts.map(part => ({ cells: figuresOf(part), name: nameOf(part) })),
    { cells: [decimal(sum), '', '', ''], name: 'sum' },
  ]
  const widths = heads.map((_, column) => Math.max(...rows.map(({ cells }) => cells[column]!.length)))
  return rows
    .map(({ cells, name }) => `   ${cells.map((cell, column) => cell.padStart(widths[column]!)).join('  ')}  ${name}`)
    .join('\n')
}

function figuresOf(part: ScorePart): string[] {
  const [value, words] = 'signal' in part ? [decimal(part.value), ''] : [String(part.frequency), String(part.length)]
  return [decimal(part.score), decimal(part.weight), value, words]
}

function nameOf(part: ScorePart): string {
  if ('signal' in part) return `signal ${part.signal}`
  // A word that a dictionary found is indexed under the dictionary's name.
  const [, source, word] = /^:([^=]+)=(.+)$/u.exec(part.term) ?? []
  return printable(word === undefined ? part.term : `${word} (${source})`)
}
