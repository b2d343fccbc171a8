import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

/** Returns a query of as many words as fit into 2,048 characters, with new words each time. */
function longQuery(turn: number): string {
  const words = Array.from({ length: 370 }, (_, i) => `w${(turn * 7 + i * 13) % 1_000}`)
  return words.join(' ').slice(0, 2_000)
}

export const attack: Attack = {
  name: 'queries of 370 words',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 10, async turn => {
      const body = JSON.stringify({ query: longQuery(turn), max_results: 50 })
      note(await call({ url: `${url}/v1/search/public`, method: 'POST', body, localAddress, signal }))
    }),
}
