import { fork } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { compiled } from '../../apparatus/compiled.ts'
import type { Question } from '../../questions/question.ts'

export interface MergeFigures {
  segments: number
  /** From the call that set it off to the last segment gone. */
  mergeSeconds: number
  idle: Latency
  merging: Latency
  /** Bytes on disk before, at most meanwhile, and after the store has settled. */
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

/** Merges a copy of an index of asof into one segment while asking it; the copy is removed. */
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
        else reject(new Error(`the merging process ended with ${signal ?? code}`))
      })
      child.send({ folder: copy, questions } satisfies MergeTask)
    })
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}
