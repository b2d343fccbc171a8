import { readFileSync } from 'node:fs'
import type { LaneName, Question } from '../questions/question.ts'
import type { EngineName, EngineOptions } from './engine.ts'

/** Time, memory and disk that indexing took. */
export interface IndexFigures {
  pages: number
  /** Time until all pages were committed and searchable, without reading them from the file. */
  addMs: number
  /** Time from the end of `addMs` until background merges were done. */
  settleMs: number
  /** CPU time of the whole process, without reading the pages. */
  cpuMs: number
  /** Time per page in the slowest batch. */
  slowestNsPerPage: number
  /** Time per page in the fastest batch. */
  fastestNsPerPage: number
  /**
   * Disk use when everything is written. For an in-memory engine, undefined until the engine has stopped and saved its index.
   */
  diskBytes?: number
  /** Disk use without the stored text, for engines where it can be measured. */
  indexBytes?: number
  memory?: ProcessMemory
}

/** The times and the ids of the results of each query. */
export interface Answers {
  wallNs: number[]
  cpuNs: number[]
  found: unknown[][]
}

/** Throughput of many concurrent queries. */
export interface FloodFigures {
  answered: number
  seconds: number
  /** 99th percentile of the event-loop delay; undefined for engines without an event loop. */
  loopDelayP99Ms?: number
}

/** Handle of an engine that runs in a process of its own. */
export interface EngineProcess {
  index(pagesPath: string, folder: string, batch: number): Promise<IndexFigures>
  /** Opens the index that {@link index} wrote, and answers one query. Returns the time for both. */
  open(folder: string, first: Question): Promise<{ firstAnswerMs: number }>
  /** Answers the queries one at a time. */
  ask(questions: Question[]): Promise<Answers>
  /** Answers queries for `ms` milliseconds, `inFlight` queries at a time. */
  flood(inFlight: number, ms: number, questions: Question[]): Promise<FloodFigures>
  /** Returns the milliseconds of each step of each answer, for engines that measure them. */
  explain?(questions: Question[]): Promise<Record<string, number>[]>
  memory(): ProcessMemory | undefined
  stop(): Promise<void>
}

/** An engine that a run measures. */
export interface Contender {
  name: EngineName
  settings: string
  lanes: readonly LaneName[]
  /** True if a saved index can be opened again in another process. */
  persistent: boolean
  mostPages?: number
  start(options?: EngineOptions): Promise<EngineProcess>
}

export interface ProcessMemory {
  residentBytes: number
  /** Memory that is not backed by files. */
  anonymousBytes: number
  /** Mapped files, which the system may evict at any time. */
  fileBytes: number
  /** Highest resident memory so far. */
  peakBytes: number
}

/** Reads the memory of a process from /proc; returns undefined on systems other than Linux. */
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
