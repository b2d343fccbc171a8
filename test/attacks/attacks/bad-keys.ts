import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

export const attack: Attack = {
  name: 'bad keys',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 4, async turn => {
      const headers = { 'x-api-key': `asof_${String(turn).padStart(43, 'x')}` }
      const path = turn % 2 === 0 ? '/v1/search?query=w1' : '/v1/fetch?url=https://large.example/'
      note(await call({ url: url + path, headers, localAddress, signal }))
    }),
}
