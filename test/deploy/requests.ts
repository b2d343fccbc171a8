import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { Started } from './machine.ts'

export const HOST = 'search.example.com'
/** The port of a server. */
export const SERVER = 8787
const PATIENCE_MS = 60_000

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
}

export interface Question {
  /** The certificate to trust: then the request is sent over TLS. */
  ca?: string
  port: number
  path: string
  headers?: Record<string, string>
}

/** Sends a GET to this machine, by the name of the service. */
export function ask({ ca, port, path, headers = {} }: Question): Promise<Answer> {
  const options = { host: '127.0.0.1', port, path, headers: { host: HOST, ...headers }, agent: false as const }
  return new Promise((resolve, reject) => {
    const request = ca === undefined ? httpRequest(options) : httpsRequest({ ...options, ca, servername: HOST })
    request.on('error', reject).on('response', response => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      response.on('error', reject)
    })
    request.end()
  })
}

/**
 * Waits until a condition holds. A condition that throws does not hold.
 *
 * @param program - the program that the condition is about.
 * @throws Error - the program ended, or the condition does not hold within a minute.
 */
export async function until(what: string, program: Started, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(50)) {
    if (await holds().catch(() => false)) return
    if (program.process.exitCode !== null) break
  }
  throw new Error(`no ${what} within a minute; the program printed:\n${program.output()}`)
}

/** Waits until a server is ready. */
export async function untilReady(server: Started): Promise<void> {
  await until('readiness', server, async () => (await ask({ port: SERVER, path: '/readyz' })).status === 200)
}
