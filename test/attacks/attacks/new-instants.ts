import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

/** Calls that need much of the index as of an instant. */
const paths: readonly ((turn: number) => string)[] = [
  turn => `/v1/suggest?q=w${turn % 10}&limit=50`,
  () => '/v1/fields?max_examples=20',
  turn => `/v1/search/public?query=*&facets=id,size,size:${1 + turn},acquired_at:hour&max_facet_values=1000`,
]

export const attack: Attack = {
  name: 'suggestions, fields and facets as of new instants',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 10, async turn => {
      // Each is a little earlier than the one before: the first of them are between two changes, later ones are not.
      const at = new Date(Date.now() - 50 * turn).toISOString()
      note(await call({ url: `${url}${paths[turn % paths.length]!(turn)}&query_time=${at}`, localAddress, signal }))
    }),
}
