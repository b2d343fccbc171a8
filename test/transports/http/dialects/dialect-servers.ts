import { afterEach } from 'vitest'
import type { CaptureInput } from '../../../../core/index.ts'
import type { AnsweredRequest } from '../../../../transports/http/request/request-record.ts'
import { addCustomer, type CustomerSettings, usageOf } from '../../../service/accounts/accounts.ts'
import { post, type RunningServer, type ServerOptions, startServer } from '../running-server.ts'

export const captures: CaptureInput[] = [
  {
    url: 'https://rail.example/ticket',
    title: 'Train ticket',
    text: 'The train ticket costs 20 euros.',
    author: 'Ann',
    acquiredAt: '2025-01-10',
  },
  {
    url: 'https://rail.example/ticket',
    title: 'Train ticket',
    text: 'The train ticket costs 25 euros.',
    author: 'Ann',
    acquiredAt: '2025-06-10',
  },
  {
    url: 'https://rail.example/night',
    title: 'Night train',
    text: 'The night train leaves at ten.',
    acquiredAt: '2025-02-01',
    publishedAt: '2025-01-31',
  },
  { url: 'https://shop.example/lamp', title: 'Lamp', text: 'A lamp for the night.', acquiredAt: '2025-04-01' },
]
/** The tickets were cheaper then, and there was no lamp. */
export const MARCH = '2025-03-01'

/** Starts servers for the tests of a file, each with a customer, and closes them after each test. */
export function useDialectServers() {
  const opened: { close(): Promise<void> }[] = []
  afterEach(async () => {
    for (const server of opened.splice(0)) await server.close()
  })

  async function start(settings: CustomerSettings = {}, options: ServerOptions = {}) {
    const records: AnsweredRequest[] = []
    const server: RunningServer = await startServer({
      accounts: true,
      captures,
      ...options,
      http: { onAnswer: record => records.push(record), ...options.http },
    })
    opened.push(server)
    const customer = await addCustomer(server.access, settings)
    const call = (path: string, body: object, headers: Record<string, string> = { 'X-API-Key': customer.key }) =>
      post(server.url + path, body, headers)
    return {
      server,
      customer,
      records,
      call,
      charged: async () => (await usageOf(server.access, customer.org)).credits_charged,
    }
  }
  return { start, opened }
}
