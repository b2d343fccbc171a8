import type { Revisions } from '../../segment/columns/revisions.ts'
import type { Segment } from '../../segment/segment.ts'
import { openPhrase } from '../postings/phrase-matcher.ts'
import type { PostingCursors } from '../postings/posting-cursor.ts'
import type { Condition } from './analyze-webql.ts'
import {
  allOf,
  anyOf,
  type Clause,
  nothing,
  notOf,
  PatternClause,
  PositionClause,
  PublishedClause,
  RangeClause,
  TermClause,
} from './clause.ts'
import { NearMatcher } from './near-matcher.ts'
import type { PatternExpansion } from './pattern-expansion.ts'
import { revisedAt } from './revised-at.ts'
import { RevisedClause } from './revised-clause.ts'
import { containsNear, containsPhrase, isRevisable } from './revised-terms.ts'

/** The segment that a condition is opened on, and what its clauses share. */
export interface ClauseContext {
  segment: Segment
  /** The instant answered as of, epoch ms. */
  instant: number
  cursors: PostingCursors
  /** The expansions of the patterns of the query, by pattern number. */
  expansions: readonly PatternExpansion[]
}

/** Opens a condition on a segment. Recursion is limited by the nesting depth that the parser allows. */
export function openClause(condition: Condition, context: ClauseContext): Clause {
  const clause = openAcquired(condition, context)
  const { revisions } = context.segment
  if (!revisions) return clause
  const revised = revisedAt(revisions, context.instant)
  const test = testOfRevised(condition, revisions)
  return test && revised.ordinals.length > 0 ? new RevisedClause(clause, revised, test) : clause
}

/**
 * Returns the test of a condition on a row of the revisions; undefined if revisions do not directly change the condition.
 */
function testOfRevised(condition: Condition, revisions: Revisions): ((row: number) => boolean) | undefined {
  if (condition.kind === 'published') {
    const { from, to } = condition.window
    return row => revisions.publishedAt[row]! >= from && revisions.publishedAt[row]! <= to
  }
  if (condition.kind === 'phrase') {
    const { phrase } = condition
    return isRevisable(phrase[0]!.term) ? row => containsPhrase(revisions.fields(row), phrase) : undefined
  }
  if (condition.kind !== 'near') return undefined
  const { left, right, distance } = condition
  return isRevisable(left[0]!.term) ? row => containsNear(revisions.fields(row), left, right, distance) : undefined
}

/** Opens a condition on captures as acquired, without regard to revisions. */
function openAcquired(condition: Condition, context: ClauseContext): Clause {
  const { segment, cursors, expansions } = context
  switch (condition.kind) {
    case 'all':
      return allOf(condition.parts.map(part => openClause(part, context)))
    case 'any':
      return anyOf(condition.parts.map(part => openClause(part, context)))
    case 'not':
      return notOf(openClause(condition.part, context))
    case 'phrase': {
      const { phrase, title } = condition
      const matcher = openPhrase(segment, phrase, cursors)
      if (!matcher) return nothing
      if (title)
        return new PositionClause(matcher.cursors, ordinal => {
          matcher.startsIn(ordinal)
          return matcher.inTitle > 0
        })
      if (phrase.length === 1) return new TermClause(matcher.cursors[0]!)
      return new PositionClause(matcher.cursors, ordinal => matcher.matches(ordinal))
    }
    case 'near': {
      const left = openPhrase(segment, condition.left, cursors)
      const right = openPhrase(segment, condition.right, cursors)
      if (!left || !right) return nothing
      const near = new NearMatcher(left, right, condition.distance, condition.title)
      return new PositionClause([...left.cursors, ...right.cursors], ordinal => near.matches(ordinal))
    }
    case 'pattern':
      return new PatternClause(expansions[condition.number]!)
    case 'acquired':
      return new RangeClause(segment.firstFrom(condition.window.from), segment.ordinalEndAt(condition.window.to))
    case 'published':
      return new PublishedClause(segment.columns.publishedAt, condition.window.from, condition.window.to)
  }
}
