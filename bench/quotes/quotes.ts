import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { open, type QuoteVerdict } from '@asof/core'
import { machine } from '../apparatus/machine.ts'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { seededRandom } from '../apparatus/random.ts'
import { defaultCorpus } from '../apparatus/synthetic.ts'
import { count, milliseconds, table } from '../apparatus/text-table.ts'
import { type DrawnQuote, drawQuote } from './draw-quotes.ts'
import { gitHistories } from './git-histories.ts'
import { type IndexedHistory, observationsOf, pageHistory } from './page-histories.ts'
import { costOf, type QuoteTruth, truthOf } from './quote-truth.ts'
import { readSentences } from './read-sentences.ts'
import { type PairFigures, verifyPairs } from './verify-pairs.ts'

const help = `npm run bench -- quotes [options]

Generates pages with histories, indexes them, and has quotes of them verified as of random instants, one in a call. The verdict,
the times at which the page had the quote, the passage and the differences are compared with the histories. Then verifies pairs of a quote
and a page that are one sentence, with one sign, number, unit, name, date, negation or word changed, or only its typography.

  --versions N      number of versions of pages, removals included (120000)
  --git DIR         the histories of the text files of this git repository instead
  --quotes N        number of quotes; 0 to verify only pairs (20000)
  --pairs N         number of pairs (5000)
  --texts DIR       draws the sentences of pairs from these .md and .txt files (docs/)
  --target MS       exit with code 1 if the median of a call exceeds this (5)
  --seed N          seed of the pages and the quotes (${defaultCorpus.seed})

The exit code is 1 if an answer is wrong.`

/** The documents of asof: real text with many numbers and signs. */
const documents = join(import.meta.dirname, '../../docs')
const BATCH = 500
const MAX_SHOWN = 10

/** The suite `quotes`: measures how many verdicts on quotes are right, and how long they take. */
export async function quotes(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      versions: { type: 'string', default: '120000' },
      git: { type: 'string' },
      quotes: { type: 'string', default: '20000' },
      pairs: { type: 'string', default: '5000' },
      texts: { type: 'string', default: documents },
      target: { type: 'string', default: '5' },
      seed: { type: 'string', default: String(defaultCorpus.seed) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-quotes-'))
  try {
    const [versions, seed] = [Number(values.versions), Number(values.seed)]
    const drawn = Number(values.quotes)
    if (drawn > 0) {
      console.error(`verifying ${count(drawn)} quotes of ${count(versions)} versions`)
      const histories =
        values.git === undefined ? generatedHistories(versions, seed) : gitHistories(values.git, versions)
      const figures = await verifyDrawn(folder, histories, drawn, seed)
      console.log(`${reportOf(figures)}\n`)
      if (figures.wrong.length > 0 || percentile(sorted(figures.ms), 0.5) > Number(values.target)) process.exitCode = 1
    }
    console.error(`verifying ${count(Number(values.pairs))} pairs`)
    const pairs = await verifyPairs(readSentences(values.texts), Number(values.pairs), seed)
    console.log(pairsReport(pairs))
    if (pairs.wrong.length > 0) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export interface QuoteFigures {
  pages: number
  captures: number
  /** Number of right answers by verdict. */
  right: Map<string, number>
  wrong: { drawn: DrawnQuote; truth: QuoteTruth; verdict: QuoteVerdict }[]
  /** Time of each call. */
  ms: number[]
}

/** Fills an index, draws quotes, and verifies them in the index. */
export async function verifyDrawn(
  folder: string,
  histories: readonly IndexedHistory[],
  quotes: number,
  seed: number,
): Promise<QuoteFigures> {
  const engine = await open(folder)
  try {
    for (let at = 0; at < histories.length; at += BATCH)
      await engine.add(histories.slice(at, at + BATCH).flatMap(({ observations }) => observations))
    const pages = histories.map(({ page }) => page)
    const figures: QuoteFigures = {
      pages: pages.length,
      captures: (await engine.stats()).captures,
      right: new Map(),
      wrong: [],
      ms: [],
    }
    const random = seededRandom(seed, -1)
    for (let n = 0; n < quotes; n++) {
      const drawn = drawQuote(pages, random)
      const { page, parts, quote, queryTime } = drawn
      const beganMs = performance.now()
      const verdict = await engine.verify({ url: page.url, quote, queryTime })
      figures.ms.push(performance.now() - beganMs)
      const truth = truthOf(parts, page.versions, queryTime)
      if (isRight(verdict, truth)) figures.right.set(truth.verdict, (figures.right.get(truth.verdict) ?? 0) + 1)
      else figures.wrong.push({ drawn, truth, verdict })
    }
    return figures
  } finally {
    await engine.close()
  }
}

/** Generates histories of pages. @param versions - minimum number of versions of all pages together. */
export function generatedHistories(versions: number, seed: number): IndexedHistory[] {
  const random = seededRandom(seed, -2)
  const histories: IndexedHistory[] = []
  for (let made = 0; made < versions; ) {
    const page = pageHistory(seed, histories.length)
    made += page.versions.length
    histories.push({ page, observations: observationsOf(page, random) })
  }
  return histories
}

function isRight({ verdict: judged, stood, differences }: QuoteVerdict, truth: QuoteTruth): boolean {
  const verdict = judged === 'contradicted' ? 'reworded' : judged
  if (verdict !== truth.verdict || JSON.stringify(stood) !== JSON.stringify(truth.stood)) return false
  return verdict !== 'reworded' || (differences !== undefined && costOf(differences) === truth.cost)
}

function reportOf({ pages, captures, right, wrong, ms }: QuoteFigures): string {
  const { processor, cores, node, commit } = machine()
  const times = sorted(ms)
  const shares = [0.5, 0.95, 0.99, 1].map(share => milliseconds(percentile(times, share)))
  return [
    `${count(ms.length)} quotes of ${count(pages)} pages with ${count(captures)} captures`,
    `${processor}, ${cores} cores, Node ${node}, asof ${commit}`,
    '',
    table(
      ['verdict', 'right answers'],
      [...right].sort().map(([verdict, number]) => [verdict, count(number)]),
    ),
    `${count(wrong.length)} answers are wrong`,
    ...wrong
      .slice(0, MAX_SHOWN)
      .map(({ drawn: { page, quote, queryTime }, ...rest }) =>
        JSON.stringify({ url: page.url, quote, queryTime, ...rest }),
      ),
    '',
    table(['ms by the clock', 'p50', 'p95', 'p99', 'most'], [['one quote', ...shares]]),
  ].join('\n')
}

function pairsReport({ right, wrong }: PairFigures): string {
  const wrongOf = (change: string) => wrong.filter(({ pair }) => pair.change === change).length
  const all = [...new Set([...right.keys(), ...wrong.map(({ pair }) => pair.change)])].sort()
  return [
    table(
      ['what differs', 'right verdicts', 'wrong ones'],
      all.map(change => [change, count(right.get(change) ?? 0), count(wrongOf(change))]),
    ),
    `${count(wrong.length)} verdicts are wrong`,
    ...wrong.slice(0, MAX_SHOWN).map(one => JSON.stringify(one)),
  ].join('\n')
}
