import { beforeAll, expect } from 'vitest'
import { type Clients, type Outcome, startClients } from './clients.ts'
import { instants, queries } from './corpus.ts'
import { stockClients } from './install.ts'
import { type Carrier, pairs, World } from './world.ts'

/** True if the stock clients are installed. */
export const installed = stockClients.isInstalled
if (!installed) console.warn('skipped: the stock clients are not installed; run npm run test:dialects')

/** Opens a world and starts the clients before the tests of a `describe`, and closes both after them. */
export function openForTests(use: (world: World, clients: Clients) => void): void {
  beforeAll(async () => {
    const [world, clients] = await Promise.all([World.open(), startClients()])
    use(world, clients)
    return async () => {
      clients.close()
      await world.close()
    }
  })
}

/** Returns a case for each carrier and instant, each with a query. */
export function instantCases(carriers: readonly Carrier[]): { carrier: Carrier; at: string; query: string }[] {
  return pairs(carriers, instants).map(([carrier, at], i) => ({ carrier, at, query: queries[i % queries.length]! }))
}

/**
 * Makes a call that the server refuses, and expects that the client sent one request, and that the customer paid nothing.
 * Returns the error that the client threw, and the status of the answer.
 */
export async function refusedCall(
  world: World,
  call: () => Promise<Outcome>,
): Promise<{ error: Outcome['error']; status: number | undefined }> {
  const [before, requests] = [await world.creditsOf(world.customer), world.records.length]
  const { error } = await call()
  const statuses = world.records.slice(requests).map(({ status }) => status)
  expect(statuses).toHaveLength(1)
  expect(await world.creditsOf(world.customer)).toBe(before)
  return { error, status: statuses[0] }
}
