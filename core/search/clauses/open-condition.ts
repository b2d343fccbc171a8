import type { TimeWindow } from '../../dates/resolve-times.ts'
import type { UrlOf } from '../../kernels/top-hits.ts'
import type { BlockBuffers } from '../../postings/block-buffers.ts'
import { PostingCursors } from '../../postings/posting-cursor.ts'
import { revisedAt } from '../../postings/revised-at.ts'
import { isValid, type SegmentView } from '../../postings/segment-view.ts'
import type { Revisions } from '../../segment/columns/revisions.ts'
import type { Segment } from '../../segment/segment.ts'
import { type Condition, oneTermOf } from '../conditions/condition.ts'
import { fieldBits } from '../fields/field-bits.ts'
import { selectiveList } from '../fields/selective-list.ts'
import {
  allClauses,
  anyClause,
  BitsClause,
  type Clause,
  nothing,
  notOf,
  PathClause,
  PhraseClause,
  PositionClause,
  PublishedClause,
  RangeClause,
  TermClause,
} from './clause.ts'
import { NearMatcher } from './near-matcher.ts'
import { pathTest } from './path-test.ts'
import type { PatternExpansion } from './pattern-expansion.ts'
import { openPhrase } from './phrase-matcher.ts'
import { RevisedClause } from './revised-clause.ts'
import { containsNear, containsPhrase, isRevisable } from './revised-terms.ts'

/** The segment that a condition is opened on, and what its clauses share. */
export interface ConditionContext {
  segment: Segment
  /** The instant answered as of, epoch ms. */
  instant: number
  cursors: PostingCursors
  /** The expansions of the patterns of the query, by pattern number. */
  expansions: readonly PatternExpansion[]
  urlOf: UrlOf
}

/** Returns, for the view of a segment, a function that tests captures of the segment by ordinal. */
export type CaptureFilter = (view: SegmentView) => (ordinal: number) => boolean

/** Returns a filter that a capture passes if it is valid (see `isValid`) and fulfills a condition. The condition must not contain patterns. */
export function captureFilter(
  condition: Condition,
  { published, buffers, urlOf }: { published: TimeWindow | undefined; buffers: BlockBuffers; urlOf: UrlOf },
): CaptureFilter {
  return view => {
    const cursors = new PostingCursors(buffers)
    const clause = openCondition(condition, { ...view, cursors, expansions: [], urlOf })
    return ordinal => isValid(view, ordinal, published) && clause.matches(ordinal)
  }
}

/** Opens a condition on a segment. Recursion is limited by the nesting depth that the parser allows. */
export function openCondition(condition: Condition, context: ConditionContext): Clause {
  const clause = openAcquired(condition, context)
  const { revisions } = context.segment
  if (!revisions) return clause
  const test = testOfRevised(condition, revisions)
  if (!test) return clause
  const revised = revisedAt(revisions, context.instant)
  return revised.ordinals.length > 0 ? new RevisedClause(clause, revised, test) : clause
}

/**
 * Returns a function that tests whether a row of the revisions fulfills a condition. Undefined if revisions are not tested here for this kind of
 * condition.
 */
function testOfRevised(condition: Condition, revisions: Revisions): ((row: number) => boolean) | undefined {
  switch (condition.kind) {
    case 'published': {
      const { from, to } = condition.window
      return row => revisions.publishedAt[row]! >= from && revisions.publishedAt[row]! <= to
    }
    case 'phrase': {
      const { phrase } = condition
      return isRevisable(phrase[0]!.term) ? row => containsPhrase(revisions.metadata(row), phrase) : undefined
    }
    case 'near': {
      const { left, right, distance } = condition
      return isRevisable(left[0]!.term)
        ? row => containsNear(revisions.metadata(row), left, right, distance)
        : undefined
    }
    // The parts of all, any and not are opened one by one. The evaluation of fields takes revisions into account by itself.
    case 'all':
    case 'any':
    case 'not':
    case 'pattern':
    case 'path':
    case 'acquired':
    case 'fields':
      return undefined
  }
}

/** Opens a condition on captures as acquired, without regard to revisions. */
function openAcquired(condition: Condition, context: ConditionContext): Clause {
  const { segment, instant, cursors, expansions, urlOf } = context
  switch (condition.kind) {
    case 'all':
      return allClauses(condition.parts.map(part => openCondition(part, context)))
    case 'any':
      return anyClause(condition.parts.map(part => openCondition(part, context)))
    case 'not':
      return notOf(openCondition(condition.part, context))
    case 'phrase': {
      const { phrase, title } = condition
      const term = oneTermOf(condition)
      if (term !== undefined) {
        const found = segment.term(term)
        return found ? new TermClause(cursors.of(found.list)) : nothing
      }
      const matcher = openPhrase(segment, phrase, cursors)
      if (!matcher) return nothing
      if (!title) return new PhraseClause(matcher)
      return new PositionClause([matcher], ordinal => {
        matcher.startsIn(ordinal)
        return matcher.inTitle > 0
      })
    }
    case 'near': {
      const left = openPhrase(segment, condition.left, cursors)
      const right = openPhrase(segment, condition.right, cursors)
      if (!left || !right) return nothing
      const near = new NearMatcher(left, right, condition.distance, condition.title)
      return new PositionClause([left, right], ordinal => near.matches(ordinal))
    }
    case 'pattern': {
      const { bits, postings } = expansions[condition.number]!
      return new BitsClause(bits, Math.min(postings, segment.captures))
    }
    case 'path':
      return new PathClause(segment.captures, pathTest(segment, condition.path, urlOf))
    case 'acquired':
      return new RangeClause(segment.firstFrom(condition.window.from), segment.ordinalEndAt(condition.window.to))
    case 'published':
      return new PublishedClause(segment.columns.publishedAt, condition.window.from, condition.window.to)
    case 'fields': {
      const bits = fieldBits(segment, condition.filter, instant)
      const list = selectiveList(segment, bits)
      if (typeof list === 'number') return new BitsClause(bits, list)
      return list.count > 0 ? new TermClause(cursors.of(list)) : nothing
    }
  }
}
