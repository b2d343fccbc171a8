import type { Battlefield } from './attack.ts'
import { call, repeat } from './call.ts'
import { longQuery } from './long-query.ts'

/**
 * Sends long queries through the trusted proxy, 10 at a time for each sender, until the signal is aborted.
 *
 * @param senders - the entries of `X-Forwarded-For`; a function is called for each request.
 */
export async function floodThroughProxy(
  { url, proxyAddress: localAddress, signal, note }: Battlefield,
  senders: readonly (string | ((turn: number) => string))[],
): Promise<void> {
  const flood = (sender: (typeof senders)[number], first: number) =>
    repeat(signal, 10, async turn => {
      const body = JSON.stringify({ query: longQuery(first * 1_000 + turn), max_results: 50 })
      const headers = { 'x-forwarded-for': typeof sender === 'string' ? sender : sender(turn) }
      note(await call({ url: `${url}/v1/search/public`, method: 'POST', headers, body, localAddress, signal }))
    })
  await Promise.all(senders.map(flood))
}
