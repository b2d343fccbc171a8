import { afterAll, describe, expect, it } from 'vitest'
import { allAttacks } from '../attacks/all-attacks.ts'
import { battle } from '../attacks/battle.ts'
import { broken, table } from '../attacks/verdict.ts'
import { endCommands } from './running-command.ts'

afterAll(endCommands)

describe('all attacks together', () => {
  it('leave the server alive, in bounded memory, and honest clients served', async () => {
    const attacks = await allAttacks()
    const outcome = await battle(attacks, { milliseconds: 8_000 })
    // A machine that runs other tests beside is slow; the nightly run holds the bound of a second.
    expect(broken(outcome, { p99Ms: 10_000, memoryBytes: 768 * 2 ** 20 }), table(outcome)).toEqual([])
    // Some attacks get no answer at all for longer than this.
    expect([...outcome.attempts.values()].filter(({ size }) => size > 0).length).toBeGreaterThan(5)
    expect(outcome.attempts.size).toBe(attacks.length)
  })
})
