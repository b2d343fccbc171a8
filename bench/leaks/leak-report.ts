import type { Machine } from '../apparatus/machine.ts'
import { count } from '../apparatus/text-table.ts'
import type { DocHistory } from './doc-history.ts'
import type { LeakRow } from './measure-leaks.ts'

const waysInWords = {
  'as of': '`queryTime`',
  newest: 'up to T, newest of each page',
  valid: 'valid at T, by two dates',
}

const heads = [
  'Engine',
  'Asked for',
  'Answers changed by what came after T',
  'Results brought in by it',
  'Results later than T',
  'Results superseded or removed by T',
  'Right values',
  'Right values of an index of the pages at T alone',
  'Answers other than its',
]

/** Returns the report in Markdown: the table, and how it was made. */
export function leakReport(
  { versions }: DocHistory,
  rows: readonly LeakRow[],
  facts: { command: string; machine: Machine; instants: number; questions: number },
): string {
  const { command, machine, instants, questions } = facts
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const cells = rows.map(({ engine, way, figures: f }) => [
    engine,
    waysInWords[way],
    share(f.changedByFuture, f.answers),
    share(f.broughtIn, f.results),
    share(f.later, f.results),
    share(f.outdated, f.results),
    share(f.right, f.truths),
    share(f.rightAlone, f.truths),
    share(f.otherThanAlone, f.answers),
  ])
  const pages = new Set(versions.map(({ url }) => url)).size
  const truths = rows[0]?.figures.truths ?? 0
  return [
    `${count(versions.length)} versions of ${count(pages)} pages, ${instants} instants, ${count(questions * instants)} questions, of which ${count(truths)} ask for a value that changed.`,
    '',
    line(heads),
    line(heads.map((_, i) => (i < 2 ? '---' : '---:'))),
    ...cells.map(line),
    '',
    `- **Command:** \`${command}\``,
    `- **Commit and machine:** asof ${machine.commit}; Node ${machine.node}, ${machine.processor}, ${machine.cores} cores`,
    ...[...new Set(rows.map(({ settings }) => settings))].map(settings => `- ${settings}`),
  ].join('\n')
}

const share = (part: number, whole: number) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(1)} %`)
