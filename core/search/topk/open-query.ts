import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { OpenedQuery, TopKBoost, WeightedList } from '../../kernels/topk-query.ts'
import type { PostingCursors } from '../../postings/posting-cursor.ts'
import type { SegmentView } from '../../postings/segment-view.ts'
import type { PostingList } from '../../segment/postings/posting-list.ts'
import {
  AllClause,
  AnyClause,
  allClauses,
  type Clause,
  everything,
  PhraseClause,
  PositionClause,
  RangeClause,
  TermClause,
} from '../clauses/clause.ts'

/** The lists and conditions of a query on one segment. */
export interface QueryOptions {
  /** The lists that score. The opened query keeps this array, and lists that matches must be in are added to it. */
  lists: WeightedList[]
  /** Conditions that each match fulfills. */
  clauses: readonly Clause[]
  cursors: PostingCursors
  published: TimeWindow | undefined
  boost: TopKBoost | undefined
  /** True if a match must also be in at least one of {@link lists}. */
  onlyScored: boolean
}

const none = () => []

/**
 * Opens a query over one view. Each clause becomes a range of ordinals or required lists, if it can. What these do not decide remains as the
 * condition of the opened query.
 */
export function openQuery(view: SegmentView, options: QueryOptions): OpenedQuery {
  const { segment, instant, ordinalEnd, from, to } = view
  const { lists, cursors, published, boost, onlyScored } = options
  const opened: Writable<OpenedQuery> = {
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
    adjacentWords: none,
    phrases: none,
    isOnlyPhrases: false,
    condition: onlyScored ? undefined : everything,
  }
  if (options.clauses.length > 0) restrict(opened, lists, options.clauses)
  return opened
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

/** Restricts an opened query to the captures that fulfill all clauses. @param lists - the lists of the query. */
function restrict(opened: Writable<OpenedQuery>, lists: WeightedList[], clauses: readonly Clause[]): void {
  const parts = clauses.flatMap(clause => (clause instanceof AllClause ? clause.parts : [clause]))
  const scored = new Map(lists.map(weighted => [weighted.list, weighted]))
  const isScored = (part: Clause): boolean =>
    part instanceof AnyClause
      ? part.parts.every(isScored)
      : part instanceof AllClause
        ? part.parts.some(isScored)
        : (part.lists ?? []).some(list => scored.has(list))
  opened.onlyScored ||= parts.some(isScored)
  const postings = lists.reduce((sum, { list }) => sum + list.count, 0)
  const positions: PositionClause[] = []
  const phrases: PhraseClause[] = []
  const rest: Clause[] = []
  for (const part of parts) {
    if (part instanceof RangeClause) {
      opened.from = Math.max(opened.from, part.from)
      opened.to = Math.max(opened.from, Math.min(opened.to, part.to))
      continue
    }
    let isRequired = false
    for (const list of part.lists ?? []) {
      const weighted = scored.get(list)
      // To require a list that does not score saves nothing if the lists that score are shorter.
      if (!weighted && opened.onlyScored && list.count > postings) continue
      isRequired = true
      if (weighted) weighted.required = true
      else {
        const unscored = { list, weight: 0, required: true }
        scored.set(list, unscored)
        lists.push(unscored)
      }
    }
    if (part instanceof PositionClause) positions.push(part)
    if (part instanceof PhraseClause) phrases.push(part)
    if (!(part instanceof TermClause && isRequired)) rest.push(part)
  }
  const isRequired = (list: PostingList): boolean => scored.get(list)?.required === true
  if (positions.length > 0)
    opened.adjacentWords = () => positions.flatMap(part => part.adjacentWords()).filter(({ list }) => isRequired(list))
  const tested = phrases.filter(({ lists }) => lists.every(isRequired))
  if (tested.length > 0) {
    opened.phrases = () => tested.map(({ phrase }) => phrase.words())
    opened.isOnlyPhrases = tested.length === rest.length
  }
  const condition = allClauses(rest)
  const isDecided = opened.onlyScored || lists.some(({ required }) => required)
  opened.condition = condition === everything && isDecided ? undefined : condition
}
