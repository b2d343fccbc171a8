import type { Machine } from '../../apparatus/machine.ts'
import type { Survey } from '../../apparatus/survey.ts'
import type { EngineName } from '../../engines/engine.ts'
import type { IndexFigures, ProcessMemory } from '../../engines/engine-process.ts'
import type { LaneName } from '../../questions/question.ts'
import type { LaneFigures } from '../studies/ask-by-turns.ts'
import type { HtmlFigures } from '../studies/html-study.ts'
import type { MergeFigures } from '../studies/merge-study.ts'
import type { ThroughputFigures } from '../studies/throughput.ts'

/** All that one run measured; what `--json` writes, and what the text and the page are made from. */
export interface SpeedReport {
  command: string
  machine: Machine
  queries: number
  rounds: number
  batch: number
  /** Version and settings of each engine. */
  settings: Partial<Record<EngineName, string>>
  sizes: SizeReport[]
  html?: HtmlFigures
}

export interface SizeReport {
  about: string
  corpus: Omit<Survey, 'bands' | 'samples' | 'publishedAt' | 'acquiredAt'>
  indexing: (IndexFigures & { engine: EngineName; kept: boolean })[]
  lanes: LaneFigures[]
  serving: ServingFigures[]
  /** Steps of answers in their order, lane by lane. */
  steps?: StepFigures[]
  throughput?: ThroughputFigures[]
  merge?: MergeFigures
}

/** One step of the answers of a lane, milliseconds. */
export interface StepFigures {
  lane: LaneName
  step: string
  p50Ms: number
  p95Ms: number
  /** Of the time of all answers, 0 to 1. */
  share: number
}

export interface ServingFigures {
  engine: EngineName
  /** Opening the index and answering once, in a fresh process; not for engines that live in memory. */
  firstAnswerMs?: number
  /** After all lanes. */
  memory?: ProcessMemory
}
