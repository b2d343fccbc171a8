import type { Machine } from '../../apparatus/machine.ts'
import type { Survey } from '../../apparatus/survey.ts'
import type { EngineName } from '../../engines/engine.ts'
import type { IndexFigures, ProcessMemory } from '../../engines/engine-process.ts'
import type { LaneName } from '../../questions/question.ts'
import type { LaneFigures } from '../studies/ask-by-turns.ts'
import type { HtmlFigures } from '../studies/html-study.ts'
import type { MergeFigures } from '../studies/merge-study.ts'
import type { ThroughputFigures } from '../studies/throughput.ts'

/** Everything that one run measured: the content of `--json`, and the source of the text report and the HTML report. */
export interface SpeedReport {
  command: string
  machine: Machine
  queries: number
  rounds: number
  batch: number
  /** Version and settings of each engine. */
  settings: Partial<Record<EngineName, string>>
  /** One entry per corpus size. */
  sizes: SizeReport[]
  html?: HtmlFigures
}

/** Figures of one corpus size. */
export interface SizeReport {
  about: string
  corpus: Omit<Survey, 'bands' | 'samples' | 'publishedAt' | 'acquiredAt'>
  indexing: (IndexFigures & { engine: EngineName; kept: boolean })[]
  lanes: LaneFigures[]
  serving: ServingFigures[]
  /** Steps of the answers in order, lane by lane. */
  steps?: StepFigures[]
  throughput?: ThroughputFigures[]
  merge?: MergeFigures
}

/** One step of the answers of a lane. */
export interface StepFigures {
  lane: LaneName
  step: string
  p50Ms: number
  p95Ms: number
  /** Share of the total time of the answers, 0 to 1. */
  share: number
}

/** Start-up time and memory of an engine that serves queries. */
export interface ServingFigures {
  engine: EngineName
  /** Time to open the index and answer one query in a fresh process; undefined for in-memory engines. */
  firstAnswerMs?: number
  /** Memory after all lanes. */
  memory?: ProcessMemory
}
