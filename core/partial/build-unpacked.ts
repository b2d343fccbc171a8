import { type BuiltCommit, bodiesOf, type CommitPlan } from '../ingest/build-commit.ts'
import { buildSegment } from '../ingest/build-segment.ts'
import { packBodies } from '../store/records/body-pack.ts'

/** Builds a commit in which each body has a pack of its own, so that it can be read and deleted alone. */
export function buildUnpacked(plan: CommitPlan): BuiltCommit {
  const packs = [...bodiesOf(plan)].flatMap(body => [...packBodies([body])])
  return { ...buildSegment(plan), packs }
}
