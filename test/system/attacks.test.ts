import { afterAll, describe, expect, it } from 'vitest'
import { allAttacks } from '../attacks/all-attacks.ts'
import { battle } from '../attacks/battle.ts'
import { broken, table } from '../attacks/verdict.ts'
import { endCommands } from './running-command.ts'

afterAll(endCommands)

describe('all attacks together', () => {
  it('leave the server running within its memory limit and serving honest clients', async () => {
    const attacks = await allAttacks()
    const outcome = await battle(attacks, { milliseconds: 8_000 })
    // Latency is measured by `npm run test:attacks`, on a machine that does nothing else.
    expect(broken(outcome, { memoryBytes: 768 * 2 ** 20 }), table(outcome)).toEqual([])
    // Some attacks get no answer within the duration of this test.
    expect([...outcome.attempts.values()].filter(({ size }) => size > 0).length).toBeGreaterThan(5)
    expect(outcome.attempts.size).toBe(attacks.length)
  })
})
