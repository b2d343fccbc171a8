import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startServer } from '../transports/http/running-server.ts'
import { installed } from './by-clients.ts'
import { type Clients, startClients } from './clients.ts'

/** Clients with their options for one result, and the errors that they throw when a limit is exceeded. */
const clientsOf: readonly { client: string; dialect: string; options: object; error: string }[] = [
  { client: 'exa-js', dialect: 'exa', options: { numResults: 1 }, error: 'ExaError' },
  { client: 'exa-py', dialect: 'exa', options: { num_results: 1 }, error: 'ValueError' },
  { client: 'exa-py async', dialect: 'exa', options: { num_results: 1 }, error: 'ValueError' },
  { client: '@tavily/core', dialect: 'tavily', options: { maxResults: 1 }, error: 'Error' },
  { client: 'tavily-python', dialect: 'tavily', options: { max_results: 1 }, error: 'UsageLimitExceededError' },
  { client: 'tavily-python async', dialect: 'tavily', options: { max_results: 1 }, error: 'UsageLimitExceededError' },
  { client: 'firecrawl', dialect: 'firecrawl', options: { limit: 1 }, error: 'SdkError' },
  { client: 'firecrawl-py async', dialect: 'firecrawl', options: { limit: 1 }, error: 'RateLimitError' },
]

let clients: Clients
beforeAll(async () => {
  if (installed) clients = await startClients()
})
afterAll(() => clients?.close())

const captures = [
  { url: 'https://rail.example/', text: 'A ticket costs 20 euros.', acquiredAt: '2025-01-10' },
  { url: 'https://rail.example/', text: 'A ticket costs 25 euros.', acquiredAt: '2025-06-10' },
]

it.skipIf(!installed).each(clientsOf)(
  '$client without a key reads the past by @TIME, and gets $error beyond the limit of an address',
  async ({ client, dialect, options, error }) => {
    const statuses: number[] = []
    const server: RunningServer = await startServer({
      captures,
      http: { keylessLimits: { perSecond: 100, perHour: 1 }, onAnswer: ({ status }) => statuses.push(status) },
    })
    try {
      const call = () =>
        clients.call({
          client,
          base: `${server.url}/${dialect}`,
          key: '@2025-03-01',
          method: 'search',
          args: ['ticket'],
          options: { ...options },
        })
      const first = await call()
      expect(first.error).toBeUndefined()
      expect(JSON.stringify(first.value)).toContain('20 euros')
      const second = await call()
      expect(second.error?.name).toBe(error)
      expect(second.error?.message).toMatch(/Too many requests|429|rate limit/i)
      // A limit that ends in an hour is not waited for, and no client repeats the request.
      expect(statuses).toEqual([200, 429])
    } finally {
      await server.close()
    }
  },
)
