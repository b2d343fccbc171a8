import type { SearchResponse } from '../api/wire.ts'

type Result = SearchResponse['results'][number]

/** What became of a result between two answers: places that it went up, or that it is new. */
export type Move = { kind: 'new' } | { kind: 'moved'; by: number } | { kind: 'same' }

/** Compares each result with the place that its page had in another answer. */
export function movesBetween(before: readonly Result[], after: readonly Result[]): Map<string, Move> {
  const places = new Map(before.map(({ url }, place) => [url, place]))
  return new Map(
    after.map(({ url }, place): [string, Move] => {
      const was = places.get(url)
      if (was === undefined) return [url, { kind: 'new' }]
      return [url, was === place ? { kind: 'same' } : { kind: 'moved', by: was - place }]
    }),
  )
}

/** A result of one of two answers, beside its place in the other one. */
export interface ComparedResult {
  result: Result
  /** From 1. Undefined if the other answer does not have the page. */
  rankThere: number | undefined
  /** True if the other answer has another text of the page. */
  hasOtherText: boolean
}

/** The results of one answer, compared with another one. */
export function compared(here: readonly Result[], there: readonly Result[]): ComparedResult[] {
  const places = new Map(there.map((result, place) => [result.url, { result, rank: place + 1 }]))
  return here.map(result => {
    const other = places.get(result.url)
    return {
      result,
      rankThere: other?.rank,
      hasOtherText: other !== undefined && other.result.acquired_at !== result.acquired_at,
    }
  })
}
