import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

/** Asks for pages of many megabytes: their snippets, with a word that only titles have, and their beginnings. */
export const attack: Attack = {
  name: 'searches and fetches of large pages',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 10, async turn => {
      const query = ['titleword', 'theend', 'titleword theend', 'titelword'][turn % 4]!
      const path =
        turn % 3 === 0
          ? `/v1/fetch/public?url=${encodeURIComponent(`https://large${turn % 4}.example/`)}`
          : `/v1/search/public?query=${encodeURIComponent(query)}&max_results=50&snippet_max_length=10000`
      note(await call({ url: `${url}${path}`, localAddress, signal }))
    }),
}
