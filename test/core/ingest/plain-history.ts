/** One observation of a URL, as it arrives. */
export type Seen =
  | { kind: 'content'; at: number; text: string; metadata: string; declared?: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/** What an observation turned out to be. */
export type Told =
  | { kind: 'capture' | 'revision' | 'sighting'; at: number; text: string; metadata: string; declared: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/**
 * The history of a URL by its definition, looking at every pair of observations: what the index must agree with. Of one
 * millisecond the later to arrive comes later, and says nothing when it repeats the one before it.
 */
export function plainHistory(arrivals: readonly Seen[]): Told[] {
  const byTime: Seen[] = []
  for (const seen of arrivals.toSorted((a, b) => a.at - b.at)) {
    const before = byTime.at(-1)
    if (before?.at !== seen.at || (seen.kind !== 'seen' && !isSame(before, seen))) byTime.push(seen)
  }
  return byTime.map((seen, i): Told => {
    if (seen.kind !== 'content') return { kind: seen.kind, at: seen.at }
    const before = byTime.slice(0, i).findLast(({ kind }) => kind !== 'seen')
    const { at, text, metadata, declared = false } = seen
    const content = { at, text, metadata, declared }
    if (before?.kind !== 'content' || before.text !== text) return { kind: 'capture', ...content }
    return { kind: before.metadata === metadata ? 'sighting' : 'revision', ...content }
  })
}

function isSame(a: Seen, b: Seen): boolean {
  if (a.kind !== 'content' || b.kind !== 'content') return a.kind === b.kind
  return a.text === b.text && a.metadata === b.metadata
}
