import { readFileSync } from 'node:fs'
import type { LaneName, Question } from '../questions/question.ts'
import type { EngineName, EngineOptions } from './engine.ts'

export interface IndexFigures {
  pages: number
  /** From the first page to all of them committed and searchable; reading them is not timed. */
  addMs: number
  /** Until the merges that were still running then are done. */
  settleMs: number
  /** CPU time of the whole process for all of it, without reading the pages. */
  cpuMs: number
  /** Of one batch. */
  slowestNsPerPage: number
  fastestNsPerPage: number
  /** On disk once all is written; not known before an engine that lives in memory has stopped. */
  diskBytes?: number
  /** On disk without stored text, where the two can be told apart. */
  indexBytes?: number
  memory?: ProcessMemory
}

/** For each question its times and the ids found. */
export interface Answers {
  wallNs: number[]
  cpuNs: number[]
  found: unknown[][]
}

export interface FloodFigures {
  answered: number
  seconds: number
  /** Event-loop delay at the 99th percentile, in engines that have an event loop. */
  loopDelayP99Ms?: number
}

/** An engine in a process of its own, seen from the bench. */
export interface EngineProcess {
  index(pagesPath: string, folder: string, batch: number): Promise<IndexFigures>
  /** Opens what {@link index} left in the folder and answers one question; returns how long the two took. */
  open(folder: string, first: Question): Promise<{ firstAnswerMs: number }>
  /** One question at a time. */
  ask(questions: Question[]): Promise<Answers>
  /** As many answers as fit into the time, from `inFlight` questions at a time. */
  flood(inFlight: number, ms: number, questions: Question[]): Promise<FloodFigures>
  /** Milliseconds of each step of each answer, in engines that tell. */
  explain?(questions: Question[]): Promise<Record<string, number>[]>
  memory(): ProcessMemory | undefined
  stop(): Promise<void>
}

/** An engine that takes part. */
export interface Contender {
  name: EngineName
  settings: string
  lanes: readonly LaneName[]
  persistent: boolean
  mostPages?: number
  start(options?: EngineOptions): Promise<EngineProcess>
}

export interface ProcessMemory {
  residentBytes: number
  /** Memory of the process itself. */
  anonymousBytes: number
  /** Mapped files, which the system may drop at any time. */
  fileBytes: number
  /** Highest resident so far. */
  peakBytes: number
}

/** Reads the memory of a process where the system tells (Linux). */
export function processMemory(pid: number): ProcessMemory | undefined {
  if (process.platform !== 'linux') return undefined
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const bytes = (name: string) => Number(status.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) * 1024
  return {
    residentBytes: bytes('VmRSS'),
    anonymousBytes: bytes('RssAnon'),
    fileBytes: bytes('RssFile'),
    peakBytes: bytes('VmHWM'),
  }
}
