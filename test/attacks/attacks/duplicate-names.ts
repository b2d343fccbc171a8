import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

export const attack: Attack = {
  name: 'archives with duplicate names',
  run: ({ url, site, localAddress, signal, note }) =>
    repeat(signal, 8, async turn => {
      const target = encodeURIComponent(`${site}/duplicate-names/${turn}`)
      note(await call({ url: `${url}/v1/fetch/public?live=true&url=${target}`, localAddress, signal }))
    }),
}
