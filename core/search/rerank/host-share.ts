/** How much of the results one host may take. */
export interface HostShare {
  /** Of so many in a row … */
  window: number
  /** … at most so many are of one host, … */
  most: number
  /** … as long as one of another stands at most so many places behind. */
  within: number
}

/**
 * Puts hits in an order in which no host crowds out the others: one that has had its share gives way to the next best of
 * another host close behind, and comes as soon as it may. An index of one host keeps its order.
 *
 * @param hits - best first; taken only as far as the order is asked for.
 * @param hostOf - '' for a hit that has none, which gives way to nobody.
 */
export function* sharedByHosts<H>(
  hits: Iterable<H>,
  hostOf: (hit: H) => string,
  { window, most, within }: HostShare,
): Generator<H, void> {
  const source = hits[Symbol.iterator]()
  const waiting: { hit: H; host: string }[] = []
  const recent: string[] = []
  for (;;) {
    while (waiting.length <= within) {
      const next = source.next()
      if (next.done) break
      waiting.push({ hit: next.value, host: hostOf(next.value) })
    }
    if (waiting.length === 0) return
    const place = waiting.findIndex(({ host }) => host === '' || recent.filter(other => other === host).length < most)
    const [{ hit, host }] = waiting.splice(Math.max(0, place), 1)
    recent.push(host)
    if (recent.length === window) recent.shift()
    yield hit
  }
}
