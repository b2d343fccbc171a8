import type { Machine } from '../apparatus/machine.ts'
import type { ExtractorScores, PageScore, SetScores } from './extract-scores.ts'
import type { ExtractorName } from './extractor.ts'

export interface ExtractReportFacts {
  machine: Machine
  /** Of each rival, by name of the package. */
  versions: Readonly<Record<string, string>>
  command: string
}

const WORST = 10

/** The report of a run, in markdown. */
export function extractReport(
  all: ReadonlyMap<ExtractorName, ExtractorScores>,
  { machine, versions, command }: ExtractReportFacts,
): string {
  const set = (scores: ExtractorScores, name: string): Partial<SetScores> => scores.sets[name] ?? {}
  const rows = (cells: (scores: ExtractorScores) => string[]) =>
    [...all].map(([name, scores]) => [name, ...cells(scores)])
  const counts = Object.entries([...all.values()][0].sets).map(([name, { pages }]) => `${name} ${pages}`)
  return [
    '# How good is the extraction?',
    '',
    `Made by \`npm run bench -- ${command}\` on asof ${machine.commit}, Node ${machine.node}, ${machine.processor}, ${machine.cores} cores.`,
    `Beside it: ${Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', ')}. Pages: ${counts.join(', ')}.`,
    '',
    '## Content',
    '',
    'F1 of runs of four words (shingles) and of single words against the text that people marked, with precision and recall; of',
    'segments that must and must not be there for the trafilatura set.',
    '',
    table(
      [
        '',
        'article-extraction-benchmark: shingle F1 (P / R)',
        'wcxb: shingle F1 / word F1',
        'trafilatura: segments F1 (P / R)',
        'readability: shingle F1',
        'failed',
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
    'Share of pages whose publish date, author, or title (nearly) is exactly that of the truth; in brackets the precision of dates.',
    '',
    table(
      ['', 'date: htmldate', 'date: trafilatura', 'date: wcxb', 'author: wcxb', 'title: wcxb'],
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
    'Pages and megabytes a second of processor time, markdown included, with the median and the 95th percentile of a page in ms by the clock.',
    '',
    table(
      ['', ...Object.keys([...all.values()][0].speed).map(name => `${name} (${kilobytes(all, name)} KB a page)`)],
      rows(({ speed }) =>
        Object.values(speed).map(
          ({ cpuPagesPerSec, cpuMbPerSec, p50ms, p95ms }) =>
            `${cpuPagesPerSec.toFixed(0)} pages, ${cpuMbPerSec.toFixed(1)} MB; ${p50ms} / ${p95ms}`,
        ),
      ),
    ),
    '',
    ...worst(all.get('asof')?.pages ?? []),
  ].join('\n')
}

/** The pages that asof does worst on, to be looked at one by one. */
function worst(pages: readonly PageScore[]): string[] {
  const byPage = new Map(pages.map(page => [`${page.bench}/${page.id}`, page]))
  const scored = [...byPage.values()]
    .flatMap(page => (page.word ? [{ ...page, f1: page.word[2] }] : []))
    .sort((a, b) => a.f1 - b.f1)
  if (scored.length === 0) return []
  const [heads, ...rows] = [
    ['set', 'page', 'word F1'],
    ...scored.slice(0, WORST).map(({ bench, id, url, f1 }) => [bench, `${id}: ${url}`, figure(f1)]),
  ]
  return [`## The ${rows.length} worst pages of asof`, '', table(heads, rows)]
}

function kilobytes(all: ReadonlyMap<ExtractorName, ExtractorScores>, name: string): string {
  const { mb, pages } = [...all.values()][0].speed[name]
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
