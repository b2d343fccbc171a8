import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** An answer with its raw bytes. */
export interface RawAnswer {
  status: number
  head: string
  body: string
}

/** Sends a request with exactly these header lines, and reads the answer until the server closes the connection. */
export async function askRaw(url: string, lines: readonly string[], body = ''): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`)
  const answer = await text(socket)
  const end = answer.indexOf('\r\n\r\n')
  return { status: Number(answer.slice(9, 12)), head: answer.slice(0, end), body: answer.slice(end + 4) }
}
