import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { percentile, sorted } from '../apparatus/percentiles.ts'
import { seededRandom } from '../apparatus/random.ts'
import { folderBytes } from '../engines/build-index.ts'
import type { LeakEngine, LeakIndex, Way } from './asked-engines.ts'
import { commitInstants, type DocHistory, historyUntil, pagesAt } from './doc-history.ts'
import { countLeaks, type LeakFigures, noFigures } from './leak-measures.ts'
import { changingLines, leakQuestions } from './leak-questions.ts'

/** The figures of one way to ask an engine. */
export interface LeakRow {
  engine: string
  settings: string
  way: Way
  figures: LeakFigures
  /** Disk use of the index of the whole history. */
  diskBytes: number
  /** Time to add the whole history. */
  addMs: number
  /** Median time of a question as of the instant of the question before it. */
  sameInstantMs: number
  /** Median time of a question as of another instant than the question before it. */
  otherInstantMs: number
}

export interface LeakRun {
  /** Number of commits in which an engine is given the history. */
  commits: number
  /** Number of past instants that are asked as of. */
  instants: number
  /** Number of questions as of each instant. */
  questions: number
  seed: number
}

/** Number of questions that are each asked as of another instant. */
const JUMPS = 200

/** Measures each way to ask an engine, as of each instant, against indexes that have nothing after the instant. */
export async function measureLeaks(engine: LeakEngine, history: DocHistory, run: LeakRun): Promise<LeakRow[]> {
  const { name, settings, ways, build } = engine
  const random = seededRandom(run.seed, 0x1ea)
  const commits = commitInstants(history, run.commits)
  const lines = changingLines(history)
  const asked = evenly(commits, run.instants).map(instant => {
    const drawn = leakQuestions(history, lines, { instant, count: run.questions, seed: run.seed })
    return { instant, drawn, questions: drawn.map(({ question }) => question) }
  })
  const answersOf = async (index: LeakIndex, one: (typeof asked)[number]) => {
    const found = new Map<Way, number[][]>()
    for (const way of ways) found.set(way, (await index.askAsOf(one.questions, way, one.instant)).found)
    return found
  }
  const untilThen = new Map<number, Map<Way, number[][]>>()
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-leaks-'))
  try {
    const whole = await build(join(folder, 'whole'), history, commits, async (index, instant) => {
      const one = asked.find(one => one.instant === instant)
      if (one) untilThen.set(instant, await answersOf(index, one))
    })
    await whole.index.settle?.()
    const rows = ways.map(way => ({ way, figures: noFigures(), sameMs: [] as number[], otherMs: [] as number[] }))
    for (const one of asked) {
      const { instant, drawn, questions } = one
      const pages = await build(join(folder, `pages-${instant}`), pagesAt(history, instant), [instant])
      const alone = await pages.index.ask(questions)
      await pages.index.close()
      if (!untilThen.has(instant)) {
        const past = await build(join(folder, `until-${instant}`), historyUntil(history, instant), [instant])
        untilThen.set(instant, await answersOf(past.index, one))
        await past.index.close()
      }
      for (const { way, figures, sameMs } of rows) {
        const { found, ms } = await whole.index.askAsOf(questions, way, instant)
        sameMs.push(...ms.slice(1))
        for (const [q, question] of drawn.entries())
          countLeaks(figures, history, question, instant, {
            asked: found[q]!,
            alone: alone.found[q]!,
            untilThen: untilThen.get(instant)!.get(way)![q]!,
          })
      }
    }
    const all = asked.flatMap(({ questions }) => questions)
    for (let jump = 0; jump < JUMPS; jump++) {
      const question = all[random.below(all.length)]!
      const instant = commits[random.below(commits.length)]!
      for (const { way, otherMs } of rows) otherMs.push(...(await whole.index.askAsOf([question], way, instant)).ms)
    }
    // Engines in memory write their files when they are closed.
    await whole.index.close()
    const diskBytes = folderBytes(whole.folder)
    return rows.map(({ way, figures, sameMs, otherMs }) => ({
      engine: name,
      settings,
      way,
      figures,
      diskBytes,
      addMs: whole.addMs,
      sameInstantMs: percentile(sorted(sameMs), 0.5),
      otherInstantMs: percentile(sorted(otherMs), 0.5),
    }))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns `count` of the values that divide them into `count + 1` parts of about equal size. */
function evenly(values: readonly number[], count: number): number[] {
  return Array.from({ length: count }, (_, i) => values[Math.floor(((i + 1) * values.length) / (count + 1))]!)
}
