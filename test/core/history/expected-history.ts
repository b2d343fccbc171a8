/** An observation of a URL, as it arrives. */
export type Arrival =
  | { kind: 'content'; at: number; text: string; metadata: string; declared?: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/** An observation with its role. */
export type ExpectedObservation =
  | { kind: 'capture' | 'revision' | 'sighting'; at: number; text: string; metadata: string; declared: boolean }
  | { kind: 'seen' | 'removal'; at: number }

/**
 * Computes the history of a URL directly from its definition; the index must have the same one. Of two observations of one
 * millisecond, the one that arrives later comes later; it is left out if it repeats the other one.
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
