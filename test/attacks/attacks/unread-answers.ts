import type { Attack } from '../attack.ts'
import { open } from '../call.ts'

const LARGE = encodeURIComponent('https://large.example/')
const line = `GET /v1/fetch/public?service_title=t&url=${LARGE} HTTP/1.1\r\nHost: localhost\r\n\r\n`

export const attack: Attack = {
  name: 'answers that nobody reads',
  run: ({ url, localAddress, signal, note }) =>
    new Promise(resolve => {
      const sockets = new Set<ReturnType<typeof open>>()
      const timer = setInterval(() => {
        for (const socket of sockets) if (socket.destroyed) sockets.delete(socket)
        for (let i = 0; i < 5 && sockets.size < 200; i += 1) {
          sockets.add(open(url, localAddress, line.repeat(50), note))
        }
      }, 250)
      signal.addEventListener('abort', () => {
        clearInterval(timer)
        for (const socket of sockets) socket.destroy()
        resolve()
      })
    }),
}
