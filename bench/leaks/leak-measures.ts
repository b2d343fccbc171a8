import { type DocHistory, type DocVersion, isValidAt } from './doc-history.ts'
import type { LeakQuestion, Truth } from './leak-questions.ts'

/** Sums over the questions and instants of one way to ask one engine. */
export interface LeakFigures {
  answers: number
  /** Answers that would have been different if the index had been given nothing after the instant. */
  changedByFuture: number
  results: number
  /** Results that would be missing if the index had been given nothing after the instant. */
  broughtIn: number
  /** Results whose version is later than the instant. */
  later: number
  /** Results whose version had been superseded or removed by the instant. */
  outdated: number
  truths: number
  /** Questions for a changed value that were answered right. */
  right: number
  /** Questions for a changed value that were answered right by an index of only the pages that were valid at the instant. */
  rightAlone: number
  /** Answers with other results, or another order, than those of an index of only the pages that were valid at the instant. */
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
  /** Those of an index with the whole history, searched as of the instant. */
  asked: readonly number[]
  /** Those of an index with only the versions that were valid at the instant, searched without `asOf`. */
  alone: readonly number[]
  /** Those of an index with the history up to the instant, searched as of the instant. */
  untilThen: readonly number[]
}

/** Number of results, from the first one on, in which a value is looked for. */
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
  const read = (found: readonly number[]) => found.slice(0, READ).map(number => versions[number]!)
  if (isRight(read(asked), truth, instant)) figures.right++
  if (isRight(read(alone), truth, instant)) figures.rightAlone++
}

const isSame = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((number, i) => number === other[i])

/**
 * An answer is right if its first results give the value that held at the instant, and no outdated or later value. So one of them is a
 * version of the page that the question is about and states the value. No result states another value, except a version of another page
 * that was valid at the instant.
 */
function isRight(read: readonly DocVersion[], { url, held, stated }: Truth, instant: number): boolean {
  const isWrong = (version: DocVersion) => !isValidAt(version, instant) && (stated.get(version.number) ?? held) !== held
  return read.some(version => version.url === url && stated.get(version.number) === held) && !read.some(isWrong)
}
