/** One observation of a URL, as it arrives. */
export type Arrival =
  | { kind: 'content'; at: number; text: string; metadata: string; declared?: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/** An observation with its role. */
export type ExpectedObservation =
  | { kind: 'capture' | 'revision' | 'sighting'; at: number; text: string; metadata: string; declared: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/**
 * The history of a URL computed straight from its definition, which the index must agree with. In one millisecond, the later
 * to arrive comes later, and is left out if it repeats the one before it.
 */
export function expectedHistory(arrivals: readonly Arrival[]): ExpectedObservation[] {
  const byTime: Arrival[] = []
  for (const arrival of arrivals.toSorted((a, b) => a.at - b.at)) {
    const before = byTime.at(-1)
    if (before?.at !== arrival.at || (arrival.kind !== 'seen' && !isSame(before, arrival))) byTime.push(arrival)
  }
  return byTime.map((arrival, i): ExpectedObservation => {
    if (arrival.kind !== 'content') return { kind: arrival.kind, at: arrival.at }
    const before = byTime.slice(0, i).findLast(({ kind }) => kind !== 'seen')
    const { at, text, metadata, declared = false } = arrival
    const content = { at, text, metadata, declared }
    if (before?.kind !== 'content' || before.text !== text) return { kind: 'capture', ...content }
    return { kind: before.metadata === metadata ? 'sighting' : 'revision', ...content }
  })
}

function isSame(a: Arrival, b: Arrival): boolean {
  if (a.kind !== 'content' || b.kind !== 'content') return a.kind === b.kind
  return a.text === b.text && a.metadata === b.metadata
}
