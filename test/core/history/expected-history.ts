/** An observation of a URL, as it arrives. */
export type Arrival =
  | { kind: 'content'; at: number; text: string; metadata: string; declared?: boolean }
  | { kind: 'seen'; at: number }
  | { kind: 'removal'; at: number; declared?: boolean }

/** An observation with its role. */
export type ExpectedObservation =
  | { kind: 'capture' | 'revision' | 'sighting'; at: number; text: string; metadata: string; declared: boolean }
  | { kind: 'seen'; at: number }
  | { kind: 'removal'; at: number; declared: boolean }

/**
 * Computes the history of a URL directly from its definition; the index must have the same one. Of the observations of one
 * millisecond it keeps the last to arrive, but any other rather than that the page was seen. Of equal ones it keeps one, which
 * is declared if all are.
 */
export function expectedHistory(arrivals: readonly Arrival[]): ExpectedObservation[] {
  const instants = [...new Set(arrivals.map(({ at }) => at))].sort((a, b) => a - b)
  const kept = instants.map((instant): Arrival => {
    const all = arrivals.filter(({ at }) => at === instant)
    const last = all.findLast(({ kind }) => kind !== 'seen')
    if (!last || last.kind === 'seen') return { kind: 'seen', at: instant }
    const others = all.filter(({ kind }) => kind !== 'seen')
    const equal = others.slice(others.findLastIndex(other => !isSame(other, last)) + 1)
    return { ...last, declared: equal.every(other => other.kind !== 'seen' && other.declared === true) }
  })
  return kept.map((arrival, i): ExpectedObservation => {
    if (arrival.kind === 'seen') return arrival
    const { at, declared = false } = arrival
    if (arrival.kind === 'removal') return { kind: 'removal', at, declared }
    const before = kept.slice(0, i).findLast(({ kind }) => kind !== 'seen')
    const { text, metadata } = arrival
    const content = { at, text, metadata, declared }
    if (before?.kind !== 'content' || before.text !== text) return { kind: 'capture', ...content }
    return { kind: before.metadata === metadata ? 'sighting' : 'revision', ...content }
  })
}

function isSame(a: Arrival, b: Arrival): boolean {
  if (a.kind !== 'content' || b.kind !== 'content') return a.kind === b.kind
  return a.text === b.text && a.metadata === b.metadata
}
