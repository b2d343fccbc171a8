import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExtractorName, extractorModule } from './extractor.ts'

/** Scores of one page set, from extract-score.mjs. */
export interface SetScores {
  pages: number
  failed: number
  shingle?: { f1: number; precision: number; recall: number }
  word?: { f1: number; precision: number; recall: number }
  segments?: { f1: number; precision: number; recall: number }
  title?: { exactOrNear: number }
  author?: { exact: number }
  date?: { exact: number; precision: number }
}

/** Scores of one page, from extract-score.mjs. */
export interface PageScore {
  bench: string
  id: string
  url: string
  /** Precision, recall and F1 of words. */
  word?: readonly [number, number, number]
}

/** Speed on one page set, from extract-speed.mjs. */
export interface SetSpeed {
  pages: number
  mb: number
  cpuPagesPerSec: number
  cpuMbPerSec: number
  p50ms: number
  p95ms: number
}

/** All scores of one extractor, by page set. */
export interface ExtractorScores {
  sets: Readonly<Record<string, SetScores>>
  pages: readonly PageScore[]
  speed: Readonly<Record<string, SetSpeed>>
}

/** Page sets that are scored. */
const scoredSets = ['article-extraction-benchmark', 'wcxb', 'trafilatura', 'readability', 'htmldate']
/** Page sets whose speed is measured. */
const timedSets = ['article-extraction-benchmark', 'wcxb', 'trafilatura']

const MAX_LOG_BYTES = 256 * 1024 * 1024

/** Scores one extractor, then measures its speed, each in a process of its own. */
export function scoresOf(
  name: ExtractorName,
  options: { tools: string; fixtures: string; pages?: number; speedPages: number },
): ExtractorScores {
  const module = ['--module', extractorModule(name), '--root', options.fixtures]
  const limit = options.pages === undefined ? [] : ['--limit', String(options.pages)]
  const scored = reportOf<{ results: Record<string, { all: SetScores }>; rows: PageScore[] }>(
    join(options.tools, 'extract-score.mjs'),
    [...module, ...limit, '--bench', scoredSets.join(','), '--quiet'],
  )
  const timed = reportOf<{ out: Record<string, SetSpeed> }>(join(options.tools, 'extract-speed.mjs'), [
    ...module,
    '--limit',
    String(options.speedPages),
    '--bench',
    timedSets.join(','),
    '--rounds',
    '2',
  ])
  return {
    sets: Object.fromEntries(Object.entries(scored.results).map(([set, { all }]) => [set, all])),
    pages: scored.rows,
    speed: timed.out,
  }
}

/** Runs a scoring tool and returns its report. */
function reportOf<Report>(tool: string, args: readonly string[]): Report {
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-extract-'))
  const file = join(folder, 'report.json')
  try {
    // Some extractors log a lot. The log is shown only if the tool fails.
    const { status, stderr, error } = spawnSync(process.execPath, [tool, ...args, '--json', file], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
      maxBuffer: MAX_LOG_BYTES,
    })
    if (status !== 0) throw new Error(`${tool} failed: ${stderr?.slice(-2000)}`, { cause: error })
    return JSON.parse(readFileSync(file, 'utf8')) as Report
  } finally {
    rmSync(folder, { recursive: true })
  }
}
