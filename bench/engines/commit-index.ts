import type { BenchPage } from '../apparatus/page-file.ts'
import type { Question } from '../questions/question.ts'

/** The changes of pages between two instants, which become one commit. */
export interface PageCommit {
  /** Epoch milliseconds. */
  instant: number
  added: BenchPage[]
  /** Numbers of pages that were added before and are not valid any more. */
  ended: number[]
}

/** An index that keeps what it was at each of its commits, so that it can be searched as of the instant of each. */
export interface CommitIndex {
  /** Returns the milliseconds until the commit was durable and searchable. */
  commit(commit: PageCommit): Promise<number>
  ask(questions: readonly Question[], instant: number): Promise<TimedAnswers>
  close(): Promise<void>
}

/** Results of questions, as page numbers, best first, and the milliseconds that each question took. */
export interface TimedAnswers {
  found: number[][]
  ms: number[]
}

export interface CommitEngine {
  /** Name in the report, with the way in which the index keeps its commits. */
  name: string
  /** Version and every setting that affects the figures. */
  settings: string
  /** @param folder - existing folder that no other index uses. */
  open(folder: string): Promise<CommitIndex>
}
