import type { Socket } from 'node:net'
import type { Attack } from '../attack.ts'
import { open } from '../call.ts'

const paths = [
  '/:a(',
  '/**',
  '/%00',
  '//',
  '/%zz',
  `/${'a'.repeat(12_000)}`,
  `/${'/'.repeat(5_000)}`,
  '/:a(['.repeat(500),
]

function destroyed(this: Socket): void {
  this.destroy()
}

export const attack: Attack = {
  name: 'odd paths',
  run: async ({ url, localAddress, signal, note }) => {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const request = `GET ${paths[turn % paths.length]} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      await new Promise<void>(resolve =>
        open(url, localAddress, request, status => {
          note(status)
          resolve()
        }).on('data', destroyed),
      )
    }
  },
}
