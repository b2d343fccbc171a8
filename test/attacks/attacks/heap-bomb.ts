import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

export const attack: Attack = {
  name: 'documents that fill a heap',
  run: ({ url, site, localAddress, signal, note }) =>
    repeat(signal, 8, async turn => {
      const target = encodeURIComponent(`${site}/heap-bomb/${turn}`)
      note(await call({ url: `${url}/v1/fetch/public?live=true&url=${target}`, localAddress, signal }))
    }),
}
