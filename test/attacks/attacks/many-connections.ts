import type { Attack } from '../attack.ts'
import { open } from '../call.ts'

export const attack: Attack = {
  name: 'as many connections as it gets',
  run: ({ url, localAddress, signal, note }) =>
    new Promise(resolve => {
      const sockets = new Set<ReturnType<typeof open>>()
      const timer = setInterval(() => {
        for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
        const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
        for (let i = 0; i < 50 && sockets.size < 2_000; i += 1) sockets.add(open(url, localAddress, request, note))
      }, 250)
      signal.addEventListener('abort', () => {
        clearInterval(timer)
        for (const socket of sockets) socket.destroy()
        resolve()
      })
    }),
}
