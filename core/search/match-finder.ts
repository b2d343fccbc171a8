import type { PositionBuffer, PositionList } from '../segment/positions-codec.ts'
import type { Segment } from '../segment/segment.ts'
import { ListProbe } from './list-probe.ts'

/** Positions of one term that a snippet may look at: enough to find the best passages of any page. */
const MAX_POSITIONS = 1000

interface OpenTerm {
  /** Index of the term among the query's. */
  term: number
  probe: ListProbe
  positions: PositionList
}

/** Finds where the terms of one query stand in its hits, opening each list of a segment once. */
export class MatchFinder {
  readonly #terms: readonly string[]
  readonly #open = new Map<Segment, OpenTerm[]>()
  readonly #buffer: PositionBuffer = { count: 0, values: new Uint32Array(256) }

  constructor(terms: readonly string[]) {
    this.#terms = terms
  }

  /**
   * Where the terms stand in one capture, from the stored positions.
   *
   * @param from - the first position of interest.
   * @returns ascending by position; `term` is the index among the query's terms.
   */
  matches(segment: Segment, ordinal: number, from: number): { position: number; term: number }[] {
    const matches: { position: number; term: number }[] = []
    for (const { term, probe, positions } of this.#opened(segment)) {
      const at = probe.find(ordinal)
      if (at < 0) continue
      const { count, values } = positions.positions(at, this.#buffer)
      let taken = 0
      for (let i = 0; i < count && taken < MAX_POSITIONS; i++) {
        if (values[i] < from) continue
        matches.push({ position: values[i], term })
        taken++
      }
    }
    return matches.sort((a, b) => a.position - b.position)
  }

  #opened(segment: Segment): OpenTerm[] {
    const known = this.#open.get(segment)
    if (known) return known
    const opened = this.#terms.flatMap((text, term): OpenTerm[] => {
      const found = segment.term(text)
      return found ? [{ term, probe: new ListProbe(found.list), positions: segment.positions(found.entry) }] : []
    })
    this.#open.set(segment, opened)
    return opened
  }
}
