import type { Machine } from '../apparatus/machine.ts'
import { count, megabytes, milliseconds } from '../apparatus/text-table.ts'
import type { DocHistory } from './doc-history.ts'
import type { LeakRow, LeakRun } from './measure-leaks.ts'

const waysInWords = {
  'as of': '`queryTime`',
  newest: 'up to T, newest of each page',
  valid: 'valid at T, by two dates',
  commit: 'as of T',
}

const leakHeads = [
  'Engine',
  'Asked for',
  'Answers changed by what came after T',
  'Answers other than those of an index of what stood at T',
  'Results brought in by what came after T',
  'Results later than T',
  'Results superseded or removed by T',
  'Right values',
  'Right values of an index of what stood at T',
]

const costHeads = [
  'Engine',
  'Asked for',
  'Answers other than those of an index of what stood at T',
  'MB on disk',
  'Seconds to add',
  'p50 ms, T as before',
  'p50 ms, another T',
]

/** Returns the report in Markdown: what is in the answers, what the index costs, and how both were measured. */
export function leakReport(
  { versions }: DocHistory,
  rows: readonly LeakRow[],
  facts: { command: string; machine: Machine; run: LeakRun },
): string {
  const { command, machine, run } = facts
  const leaks = rows.map(({ engine, way, figures: f }) => [
    engine,
    waysInWords[way],
    share(f.changedByFuture, f.answers),
    share(f.otherThanAlone, f.answers),
    share(f.broughtIn, f.results),
    share(f.later, f.results),
    share(f.outdated, f.results),
    share(f.right, f.truths),
    share(f.rightAlone, f.truths),
  ])
  const costs = rows.map(({ engine, way, figures: f, diskBytes, addMs, sameInstantMs, otherInstantMs }) => [
    engine,
    waysInWords[way],
    share(f.otherThanAlone, f.answers),
    megabytes(diskBytes),
    (addMs / 1_000).toFixed(1),
    milliseconds(sameInstantMs),
    milliseconds(otherInstantMs),
  ])
  const bytes = versions.reduce((sum, { title, text }) => sum + Buffer.byteLength(title) + Buffer.byteLength(text), 0)
  const pages = new Set(versions.map(({ url }) => url)).size
  const truths = rows[0]?.figures.truths ?? 0
  return [
    `${count(versions.length)} versions of ${count(pages)} pages (${megabytes(bytes)} MB of text) in ${count(run.commits)} commits; ${run.instants} instants, ${count(run.questions * run.instants)} questions, of which ${count(truths)} ask for a value that changed.`,
    '',
    ...markdownTable(leakHeads, leaks),
    '',
    ...markdownTable(costHeads, costs),
    '',
    `- **Command:** \`${command}\``,
    `- **Commit and machine:** asof ${machine.commit}; Node ${machine.node}, ${machine.processor}, ${machine.cores} cores`,
    ...[...new Set(rows.map(({ settings }) => settings))].map(settings => `- ${settings}`),
  ].join('\n')
}

function markdownTable(heads: string[], rows: string[][]): string[] {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map((_, i) => (i < 2 ? '---' : '---:'))), ...rows.map(line)]
}

const share = (part: number, whole: number) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`)
