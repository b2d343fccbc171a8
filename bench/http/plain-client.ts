import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/**
 * Sends one request at a time over one connection. Finds the end of each answer and does not parse it. A client that parses
 * answers would take as much time as the measured transport.
 */
export class PlainClient {
  readonly #socket: Socket
  readonly #host: string
  #received = ''
  /** Length of the answer; infinite until its head has arrived. */
  #expected = Number.POSITIVE_INFINITY
  #answered: (() => void) | undefined

  private constructor(socket: Socket, host: string) {
    this.#socket = socket
    this.#host = host
    socket.setNoDelay(true).on('data', chunk => this.#take(chunk))
  }

  static async to(url: string): Promise<PlainClient> {
    const { hostname, port, host } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new PlainClient(socket, host)
  }

  /** @throws Error - the status is not 200. */
  async get(path: string, headers: Record<string, string>): Promise<void> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const answered = new Promise<void>(resolve => {
      this.#answered = resolve
    })
    this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: ${this.#host}\r\n${lines.join('')}\r\n`)
    await answered
    const answer = this.#received
    this.#received = ''
    this.#expected = Number.POSITIVE_INFINITY
    if (!answer.startsWith('HTTP/1.1 200 '))
      throw new Error(`expected status 200, but a search was answered ${answer.slice(0, 200)}`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    // latin1 has one character per byte, so the length of the string is the number of bytes received.
    this.#received += chunk.toString('latin1')
    if (this.#expected === Number.POSITIVE_INFINITY) {
      const head = this.#received.indexOf('\r\n\r\n')
      const length = head < 0 ? null : /content-length: (\d+)/i.exec(this.#received.slice(0, head))
      if (length) this.#expected = head + 4 + Number(length[1])
    }
    if (this.#received.length >= this.#expected) this.#answered?.()
  }
}
