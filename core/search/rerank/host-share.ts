/** The maximum share of the results that one host may have. */
export interface HostShare {
  /** Number of successive results in which the results of one host are counted. */
  window: number
  /** Maximum number of results of one host in a window. */
  most: number
  /** Maximum number of places by which a result of another host may move up to keep that maximum. */
  within: number
}

/**
 * Reorders hits so that no host crowds out the others. A hit whose host has used up its share is postponed until the host may have another
 * result. Until then, the next best hits of other hosts go first, if they are close. Hits of a single host keep their order.
 *
 * @param hits - best first; consumed only as far as results are requested.
 * @param hostOf - returns '' for a hit that is never postponed.
 */
export function* shareByHosts<H>(
  hits: Iterable<H>,
  hostOf: (hit: H) => string,
  { window, most, within }: HostShare,
): Generator<H, void> {
  const source = hits[Symbol.iterator]()
  const waiting: { hit: H; host: string }[] = []
  const recent: string[] = []
  for (;;) {
    while (waiting.length <= within) {
      const { done, value: hit } = source.next()
      if (done) break
      waiting.push({ hit, host: hostOf(hit) })
    }
    const at = waiting.findIndex(({ host }) => host === '' || recent.filter(other => other === host).length < most)
    const [next] = waiting.splice(Math.max(0, at), 1)
    if (!next) return
    const { hit, host } = next
    recent.push(host)
    if (recent.length === window) recent.shift()
    yield hit
  }
}
