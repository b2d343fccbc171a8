import { fork } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { compiled } from '../../apparatus/compiled.ts'
import type { Question } from '../../questions/question.ts'

/** Result of the study `merge`. */
export interface MergeFigures {
  /** Number of segments before the merge. */
  segments: number
  /** Time from the call that triggered the merge until one segment was left. */
  mergeSeconds: number
  idle: Latency
  merging: Latency
  /** Disk use before the merge, at its peak, and after the store has settled. */
  bytesBefore: number
  bytesMost: number
  bytesAfter: number
}

export interface Latency {
  queries: number
  p50Ms: number
  p95Ms: number
  p99Ms: number
  maxMs: number
}

export interface MergeTask {
  folder: string
  questions: Question[]
}

/** Merges a copy of an asof index into one segment while searching it, then deletes the copy. */
export async function mergeStudy(folder: string, questions: Question[]): Promise<MergeFigures> {
  const copy = `${folder}-merge`
  rmSync(copy, { recursive: true, force: true })
  cpSync(folder, copy, { recursive: true })
  try {
    return await new Promise((resolve, reject) => {
      const child = fork(compiled('speed/studies/merge-child.ts'))
      let figures: MergeFigures | undefined
      child.once('message', message => {
        figures = message as MergeFigures
      })
      child.once('exit', (code, signal) => {
        if (figures) resolve(figures)
        else reject(new Error(`the process of the study merge ended with ${signal ?? code}`))
      })
      child.send({ folder: copy, questions } satisfies MergeTask)
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
