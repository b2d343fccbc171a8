import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { TopKBoost, TopKView, WeightedList } from '../../kernels/topk-query.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import {
  AllClause,
  AnyClause,
  allOf,
  type Clause,
  everything,
  PositionClause,
  RangeClause,
  TermClause,
} from '../conditions/clause.ts'
import type { PostingCursors } from '../postings/posting-cursor.ts'
import type { SegmentView } from '../postings/segment-view.ts'

/** A query on one segment, apart from its condition. */
export interface ViewOptions {
  /** For each scoring term: its list in the segment, and its weight in fixed-point units. */
  terms: readonly { list: PostingList; weight: number }[]
  cursors: PostingCursors
  published: TimeWindow | undefined
  boost: TopKBoost | undefined
  /** True if matches must be in a list of {@link terms} besides. */
  onlyScored: boolean
}

/**
 * Splits the condition of a query on one segment: a part that all matches must fulfill becomes a range of ordinals or required
 * lists if it can, and what these do not decide is left as the condition of the view.
 */
export function openView(view: SegmentView, clause: Clause, { terms, ...options }: ViewOptions): TopKView {
  const weights = new Map(terms.map(({ list, weight }) => [list, weight]))
  const isScored = (part: Clause): boolean =>
    part instanceof AnyClause
      ? part.parts.every(isScored)
      : part instanceof AllClause
        ? part.parts.some(isScored)
        : (part.lists ?? []).some(list => weights.has(list))
  const onlyScored = options.onlyScored || isScored(clause)
  const postings = terms.reduce((sum, { list }) => sum + list.count, 0)
  // To go through a list that does not score saves nothing if the lists that score are shorter.
  const isShort = (list: PostingList): boolean => weights.has(list) || !onlyScored || list.count <= postings
  const required = new Set<PostingList>()
  const positions: PositionClause[] = []
  const rest: Clause[] = []
  let { from, to } = view
  for (const part of clause instanceof AllClause ? clause.parts : [clause]) {
    if (part instanceof RangeClause) {
      from = Math.max(from, part.from)
      to = Math.min(to, part.to)
    } else {
      const lists = (part.lists ?? []).filter(isShort)
      for (const list of lists) required.add(list)
      if (part instanceof PositionClause) positions.push(part)
      if (!(part instanceof TermClause) || lists.length === 0) rest.push(part)
    }
  }
  const condition = allOf(rest)
  const lists: WeightedList[] = terms.map(term => ({ ...term, required: required.has(term.list) }))
  for (const list of required) if (!weights.has(list)) lists.push({ list, weight: 0, required: true })
  return {
    ...view,
    ...options,
    from,
    to: Math.max(from, to),
    lists,
    onlyScored,
    adjacentWords: () => positions.flatMap(part => part.adjacentWords()).filter(({ list }) => required.has(list)),
    condition: condition === everything && (onlyScored || required.size > 0) ? undefined : condition,
  }
}
