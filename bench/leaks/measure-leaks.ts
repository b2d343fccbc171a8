import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LeakEngine, Way } from './asked-engines.ts'
import { type DocHistory, historyUntil, instantsOf, pagesAt } from './doc-history.ts'
import { countLeaks, type LeakFigures, noFigures } from './leak-measures.ts'
import { changingLines, leakQuestions } from './leak-questions.ts'

/** The figures of one way to ask an engine. */
export interface LeakRow {
  engine: string
  settings: string
  way: Way
  figures: LeakFigures
}

/** Measures each way to ask an engine, as of each instant, against indexes that have nothing after the instant. */
export async function measureLeaks(
  { name, settings, ways, build }: LeakEngine,
  history: DocHistory,
  { instants, questions: count, seed }: { instants: number; questions: number; seed: number },
): Promise<LeakRow[]> {
  const rows = ways.map(way => ({ engine: name, settings, way, figures: noFigures() }))
  const lines = changingLines(history)
  const folder = mkdtempSync(join(tmpdir(), 'asof-bench-leaks-'))
  const whole = await build(join(folder, 'whole'), history)
  try {
    for (const instant of instantsOf(history, instants)) {
      const asked = leakQuestions(history, lines, { instant, count, seed })
      const questions = asked.map(({ question }) => question)
      const pages = await build(join(folder, `pages-${instant}`), pagesAt(history, instant))
      const alone = await pages.ask(questions)
      await pages.close()
      const past = await build(join(folder, `until-${instant}`), historyUntil(history, instant))
      for (const { way, figures } of rows) {
        const answers = await whole.askAsOf(questions, way, instant)
        const untilThen = await past.askAsOf(questions, way, instant)
        for (const [q, question] of asked.entries())
          countLeaks(figures, history, question, instant, {
            asked: answers[q]!,
            alone: alone[q]!,
            untilThen: untilThen[q]!,
          })
      }
      await past.close()
    }
  } finally {
    await whole.close()
    rmSync(folder, { recursive: true })
  }
  return rows
}
