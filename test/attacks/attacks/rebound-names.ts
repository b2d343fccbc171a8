import type { Attack } from '../attack.ts'
import { call, repeat } from '../call.ts'

const requests: [string, Record<string, string>][] = [
  ['/v1/search/public?query=w1', { host: 'evil.example' }],
  ['/v1/search/public?query=w1', { host: 'localhost', origin: 'https://evil.example' }],
  ['/v1/suggest?query=w', { host: '127.0.0.1.evil.example', 'x-forwarded-host': 'localhost' }],
  ['/v1/fetch/public?url=https://large.example/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
]

export const attack: Attack = {
  name: 'rebound names and foreign pages',
  run: ({ url, localAddress, signal, note }) =>
    repeat(signal, 2, async turn => {
      const [path, headers] = requests[turn % requests.length]!
      note(await call({ url: url + path, headers, localAddress, signal }))
    }),
}
