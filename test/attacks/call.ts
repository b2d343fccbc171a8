import { type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { finished } from 'node:stream/promises'

export interface Call {
  url: string
  localAddress: string
  method?: string
  headers?: Record<string, string>
  body?: string
  signal?: AbortSignal
}

/** Sends one request from an address and reads its answer, without keeping it. @returns the status, 0 when there was no answer. */
export async function call(given: Call): Promise<number> {
  try {
    const answer = await send(given)
    await finished(answer.resume())
    return answer.statusCode ?? 0
  } catch {
    return 0
  }
}

/** Sends one request from an address. @returns the status and the body of the answer; 0 and '' when there was no answer. */
export async function ask(given: Call): Promise<{ status: number; text: string }> {
  try {
    const answer = await send(given)
    return { text: await text(answer), status: answer.statusCode ?? 0 }
  } catch {
    return { status: 0, text: '' }
  }
}

/** Sends one request. @returns the answer, whose body is not read yet. */
function send({ url, localAddress, method = 'GET', headers = {}, body, signal }: Call) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const length =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const options = {
      method,
      localAddress,
      agent: false as const,
      headers: { 'x-service-title': 'attack', ...length, ...headers },
      signal,
    }
    request(url, options, resolve).on('error', reject).end(body)
  })
}

/** Opens a connection and writes bytes. Reads only the status of the answer. */
export function open(url: string, localAddress: string, bytes: string, note: (status: number) => void): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress })
  let known = false
  const once = (status: number) => {
    if (!known) note(status)
    known = true
  }
  socket.on('error', () => once(0)).on('close', () => once(0))
  socket.once('data', data => {
    once(Number(String(data).slice(9, 12)))
    socket.pause()
  })
  socket.write(bytes)
  return socket
}

/** Repeats an action, `width` times concurrently, until the signal is aborted. */
export async function repeat(signal: AbortSignal, width: number, act: (turn: number) => Promise<void>): Promise<void> {
  let turn = 0
  const line = async () => {
    while (!signal.aborted) await act(turn++)
  }
  await Promise.all(Array.from({ length: width }, line))
}
