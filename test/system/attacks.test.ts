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
    for (const { name } of attacks) expect(outcome.attempts.get(name)!.size, `${name} was tried`).toBeGreaterThan(0)
  })
})
