import { type BodyPack, type EncodedBody, packBodies } from '../store/records/body-pack.ts'
import { buffersOf } from './analyzed-group.ts'
import { type BuiltSegment, buildSegment, type SegmentPlan } from './build-segment.ts'

/** The data for building the segment and the packs of bodies of a commit. They can be sent to another thread. */
export interface CommitPlan extends SegmentPlan {
  /** The encoded bodies of each group, one after another. */
  bodies: readonly Uint8Array<ArrayBuffer>[]
  /** By ordinal, the range of the body in the bodies of its group. */
  bodyStarts: Uint32Array
  bodyEnds: Uint32Array
}

/** The segment and the packs of bodies of a commit. */
export interface BuiltCommit extends BuiltSegment {
  packs: BodyPack[]
}

/** Builds the segment and the packs of a commit. Frees the buffers of its groups. */
export function buildCommit(plan: CommitPlan): BuiltCommit {
  const built = buildSegment(plan)
  const packs = [...packBodies(bodiesOf(plan))]
  for (const { buffer } of plan.bodies) buffer.transfer(0)
  return { ...built, packs }
}

/** The buffers of a plan, for a transfer to another thread. */
export function buffersOfPlan({ groups, bodies }: CommitPlan): ArrayBuffer[] {
  return [...groups.flatMap(buffersOf), ...bodies.map(({ buffer }) => buffer)]
}

/** The encoded bodies of a plan, by the numbers of their captures. */
export function* bodiesOf({ columns, groupOf, bodies, bodyStarts, bodyEnds }: CommitPlan): Generator<EncodedBody> {
  const { captureIds } = columns
  const ordinals = Array.from(captureIds.keys()).sort((a, b) => captureIds[a]! - captureIds[b]!)
  for (const ordinal of ordinals)
    yield {
      captureId: captureIds[ordinal]!,
      bytes: bodies[groupOf[ordinal]!]!.subarray(bodyStarts[ordinal], bodyEnds[ordinal]),
    }
}
