import { type BuiltCommit, bodiesOf, type CommitPlan } from '../ingest/build-commit.ts'
import { type BuiltSegment, buildSegment } from '../ingest/build-segment.ts'
import { SegmentWriter } from '../segment/segment-writer.ts'
import { type BodyPack, packBodies } from '../store/records/body-pack.ts'

/** Builds a commit in which each body has a pack of its own, so that it can be read and deleted alone. */
export function buildUnpacked(plan: CommitPlan): BuiltCommit {
  const packs = packsOf(plan)
  return { ...buildSegment(plan), packs }
}

/** Builds a commit like {@link buildUnpacked}, but its segment has no terms. */
export function buildUnsearched(plan: CommitPlan): BuiltCommit {
  const chunks: BuiltSegment['chunks'] = []
  const writer = new SegmentWriter(
    { put: (stream, chunk, bytes) => chunks.push({ stream, chunk, bytes }) },
    plan.columns,
  )
  return { info: writer.finish(plan.segment), chunks, packs: packsOf(plan) }
}

function packsOf(plan: CommitPlan): BodyPack[] {
  return [...bodiesOf(plan)].flatMap(body => [...packBodies([body])])
}
