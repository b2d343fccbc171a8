import type { Machine } from '../apparatus/machine.ts'
import type { ExtractorScores, PageScore, SetScores, SetSpeed } from './extract-scores.ts'
import type { ExtractorName } from './extractor.ts'

/** How a run was made. */
export interface ExtractReportFacts {
  machine: Machine
  /** Version of each other extractor's packages, by package name. */
  versions: Readonly<Record<string, string>>
  command: string
}

const WORST = 10

/** Returns the report of a run in Markdown: one table, how it was made, then the details. */
export function extractReport(
  all: ReadonlyMap<ExtractorName, ExtractorScores>,
  { machine, versions, command }: ExtractReportFacts,
): string {
  const set = (scores: ExtractorScores, name: string): Partial<SetScores> => scores.sets[name] ?? {}
  const rows = (cells: (scores: ExtractorScores) => string[]) =>
    [...all].map(([name, scores]) => [name, ...cells(scores)])
  const [first] = all.values()
  if (!first) throw new RangeError('the report needs the scores of an extractor')
  const counts = Object.entries(first.sets).map(([name, { pages }]) => `${name} ${pages}`)
  const versionList = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    '# Quality and speed of extraction',
    '',
    'How well asof finds the main content, dates, authors and titles of HTML pages, and how fast, beside other extractors. Shares from 0 to 1; higher is better.',
    '',
    table(
      [
        'Extractor',
        'Content: shingle F1',
        'Content: word F1',
        'Date exact',
        'Author exact',
        'Title exact or near',
        'Pages per CPU second',
      ],
      rows(scores => [
        figure(set(scores, 'article-extraction-benchmark').shingle?.f1),
        figure(set(scores, 'wcxb').word?.f1),
        figure(set(scores, 'htmldate').date?.exact),
        figure(set(scores, 'wcxb').author?.exact),
        figure(set(scores, 'wcxb').title?.exactOrNear),
        scores.speed['article-extraction-benchmark']?.cpuPagesPerSec.toFixed(0) ?? '–',
      ]),
    ),
    '',
    `- **Command:** \`npm run bench -- ${command}\``,
    `- **Commit and machine:** asof ${machine.commit}; Node ${machine.node}, ${machine.processor}, ${machine.cores} cores`,
    `- **Other extractors:** ${versionList.join(', ')}`,
    `- **Pages:** ${counts.join(', ')}`,
    '- **Method:** shingle F1 and speed are of article-extraction-benchmark, dates of htmldate, the other columns of wcxb. Each extractor runs in a process of its own and returns Markdown.',
    '',
    '## Content',
    '',
    'F1 (precision / recall) of runs of four words (shingles) and of single words, against text that people marked. The trafilatura',
    'set lists segments that must and must not be present. "Failed" counts pages on which the extractor threw an error.',
    '',
    table(
      [
        'Extractor',
        'article-extraction-benchmark: shingle F1 (P / R)',
        'wcxb: shingle F1 / word F1',
        'trafilatura: segments F1 (P / R)',
        'readability: shingle F1',
        'Failed',
      ],
      rows(scores => [
        three(set(scores, 'article-extraction-benchmark').shingle),
        `${figure(set(scores, 'wcxb').shingle?.f1)} / ${figure(set(scores, 'wcxb').word?.f1)}`,
        three(set(scores, 'trafilatura').segments),
        figure(set(scores, 'readability').shingle?.f1),
        String(Object.values(scores.sets).reduce((sum, { failed }) => sum + failed, 0)),
      ]),
    ),
    '',
    '## Dates, authors, titles',
    '',
    'Share of pages whose publish date or author is exactly, and whose title is exactly or nearly, that of the reference. Precision of dates in brackets.',
    '',
    table(
      ['Extractor', 'Date: htmldate', 'Date: trafilatura', 'Date: wcxb', 'Author: wcxb', 'Title: wcxb'],
      rows(scores => [
        ...['htmldate', 'trafilatura', 'wcxb'].map(name => {
          const { date } = set(scores, name)
          return date ? `${figure(date.exact)} (${figure(date.precision)})` : '–'
        }),
        figure(set(scores, 'wcxb').author?.exact),
        figure(set(scores, 'wcxb').title?.exactOrNear),
      ]),
    ),
    '',
    '## Speed',
    '',
    'Pages and megabytes per CPU second, Markdown included; then wall-clock milliseconds per page, median / 95th percentile.',
    '',
    table(
      ['Extractor', ...Object.entries(first.speed).map(([name, speed]) => `${name} (${kilobytes(speed)} KB a page)`)],
      rows(({ speed }) =>
        Object.values(speed).map(
          ({ cpuPagesPerSec, cpuMbPerSec, p50ms, p95ms }) =>
            `${cpuPagesPerSec.toFixed(0)} pages, ${cpuMbPerSec.toFixed(1)} MB; ${p50ms} / ${p95ms}`,
        ),
      ),
    ),
    ...worst(all.get('asof')?.pages ?? []),
  ].join('\n')
}

/** Returns a table of the pages with the lowest word F1 of asof. */
function worst(pages: readonly PageScore[]): string[] {
  const byPage = new Map(pages.map(page => [`${page.bench}/${page.id}`, page]))
  const scored = [...byPage.values()]
    .flatMap(page => (page.word ? [{ ...page, f1: page.word[2] }] : []))
    .sort((a, b) => a.f1 - b.f1)
  if (scored.length === 0) return []
  const rows = scored.slice(0, WORST).map(({ bench, id, url, f1 }) => [bench, `${id}: ${url}`, figure(f1)])
  return ['', `## The ${rows.length} worst pages of asof`, '', table(['Set', 'Page', 'Word F1'], rows)]
}

function kilobytes({ mb, pages }: SetSpeed): string {
  return ((mb * 1000) / pages).toFixed(0)
}

function three(scores: { f1: number; precision: number; recall: number } | undefined): string {
  return scores ? `${figure(scores.f1)} (${figure(scores.precision)} / ${figure(scores.recall)})` : '–'
}

function figure(value: number | undefined): string {
  return value === undefined ? '–' : value.toFixed(3)
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(heads), `|${' --- |'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}
