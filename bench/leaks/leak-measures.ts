import { type DocHistory, isValidAt } from './doc-history.ts'
import type { LeakQuestion } from './leak-questions.ts'

/** Sums over the questions and instants of one way to ask one engine. */
export interface LeakFigures {
  answers: number
  /** Answers that differ from those of the same index, asked the same, if it had been given nothing after the instant. */
  changedByFuture: number
  results: number
  /** Results that are none if the index had been given nothing after the instant. */
  broughtIn: number
  /** Results that are later than the instant. */
  later: number
  /** Results that were superseded or removed at the instant. */
  outdated: number
  truths: number
  /** Questions for a changed value that were answered right. */
  right: number
  /** The same for an index of only the pages that were valid at the instant. */
  rightAlone: number
  /** Answers whose results or their order differ from those of that index. */
  otherThanAlone: number
}

export const noFigures = (): LeakFigures => ({
  answers: 0,
  changedByFuture: 0,
  results: 0,
  broughtIn: 0,
  later: 0,
  outdated: 0,
  truths: 0,
  right: 0,
  rightAlone: 0,
  otherThanAlone: 0,
})

/** Answers to one question, as version numbers, best first. */
export interface Answers {
  /** With the whole history, asked as of the instant. */
  asked: readonly number[]
  /** With only the pages that were valid at the instant, asked without a date. */
  alone: readonly number[]
  /** With the history until the instant, asked as of the instant. */
  untilThen: readonly number[]
}

/** Number of first results that are read for a value. */
const READ = 3

/** Adds one question to the figures. */
export function countLeaks(
  figures: LeakFigures,
  { versions }: DocHistory,
  { truth }: LeakQuestion,
  instant: number,
  { asked, alone, untilThen }: Answers,
): void {
  figures.answers++
  if (!isSame(asked, alone)) figures.otherThanAlone++
  if (!isSame(asked, untilThen)) figures.changedByFuture++
  figures.results += asked.length
  for (const number of asked) {
    const version = versions[number]!
    if (version.at > instant) figures.later++
    else if (!isValidAt(version, instant)) figures.outdated++
    if (!untilThen.includes(number)) figures.broughtIn++
  }
  if (!truth) return
  figures.truths++
  if (isRight(asked, truth)) figures.right++
  if (isRight(alone, truth)) figures.rightAlone++
}

const isSame = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((number, i) => number === other[i])

/** An answer is right if its first results state the value that held, and none of them another value of the same line. */
function isRight(found: readonly number[], { stated, held }: NonNullable<LeakQuestion['truth']>): boolean {
  const values = new Set(found.slice(0, READ).flatMap(number => stated.get(number) ?? []))
  return values.size === 1 && values.has(held)
}
