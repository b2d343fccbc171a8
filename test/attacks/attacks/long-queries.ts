import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'
import { longQuery } from '../long-query.ts'

export const attack: Attack = {
  name: 'queries of 370 words',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 10, async turn => {
      const body = JSON.stringify({ query: longQuery(turn), max_results: 50 })
      note(await call({ url: `${url}/v1/search/public`, method: 'POST', body, localAddress, signal }))
    }),
}
