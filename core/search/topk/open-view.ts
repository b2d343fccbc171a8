import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { TopKBoost, TopKView, WeightedList } from '../../kernels/topk-query.ts'
import type { PostingCursors } from '../../postings/posting-cursor.ts'
import type { SegmentView } from '../../postings/segment-view.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import {
  AllClause,
  AnyClause,
  allClauses,
  type Clause,
  everything,
  PositionClause,
  RangeClause,
  TermClause,
} from '../clauses/clause.ts'

/** A query on one segment. */
export interface ViewOptions {
  /** The lists that score; the result keeps the array. */
  lists: WeightedList[]
  /** What all matches must fulfill. */
  clauses: readonly Clause[]
  cursors: PostingCursors
  published: TimeWindow | undefined
  boost: TopKBoost | undefined
  /** True if matches must be in one of {@link lists} besides. */
  onlyScored: boolean
}

const noWords = () => []

/**
 * Splits the condition of a query on one segment: a part that all matches must fulfill becomes a range of ordinals or required
 * lists if it can, and what these do not decide is left as the condition of the view.
 */
export function openView(view: SegmentView, options: ViewOptions): TopKView {
  const { segment, instant, ordinalEnd, from, to } = view
  const { lists, cursors, published, boost, onlyScored } = options
  const opened: Writable<TopKView> = {
    segment,
    instant,
    ordinalEnd,
    from,
    to,
    lists,
    cursors,
    published,
    boost,
    onlyScored,
    adjacentWords: noWords,
    condition: onlyScored ? undefined : everything,
  }
  if (options.clauses.length > 0) restrict(opened, lists, options.clauses)
  return opened
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Restricts a view to the captures that fulfill all clauses. @param lists - those of the view. */
function restrict(view: Writable<TopKView>, lists: WeightedList[], clauses: readonly Clause[]): void {
  const parts = clauses.flatMap(clause => (clause instanceof AllClause ? clause.parts : [clause]))
  const scored = new Map(lists.map(weighted => [weighted.list, weighted]))
  const isScored = (part: Clause): boolean =>
    part instanceof AnyClause
      ? part.parts.every(isScored)
      : part instanceof AllClause
        ? part.parts.some(isScored)
        : (part.lists ?? []).some(list => scored.has(list))
  view.onlyScored ||= parts.some(isScored)
  const postings = lists.reduce((sum, { list }) => sum + list.count, 0)
  const positions: PositionClause[] = []
  const rest: Clause[] = []
  for (const part of parts) {
    if (part instanceof RangeClause) {
      view.from = Math.max(view.from, part.from)
      view.to = Math.max(view.from, Math.min(view.to, part.to))
      continue
    }
    let isRequired = false
    for (const list of part.lists ?? []) {
      const weighted = scored.get(list)
      // To go through a list that does not score saves nothing if the lists that score are shorter.
      if (!weighted && view.onlyScored && list.count > postings) continue
      isRequired = true
      if (weighted) weighted.required = true
      else {
        const unscored = { list, weight: 0, required: true }
        scored.set(list, unscored)
        lists.push(unscored)
      }
    }
    if (part instanceof PositionClause) positions.push(part)
    if (!(part instanceof TermClause && isRequired)) rest.push(part)
  }
  const isRequired = (list: PostingList): boolean => scored.get(list)?.required === true
  if (positions.length > 0)
    view.adjacentWords = () => positions.flatMap(part => part.adjacentWords()).filter(({ list }) => isRequired(list))
  const condition = allClauses(rest)
  const isDecided = view.onlyScored || lists.some(({ required }) => required)
  view.condition = condition === everything && isDecided ? undefined : condition
}
