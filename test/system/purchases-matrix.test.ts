import { afterAll, describe, expect, it } from 'vitest'
import { blockSeconds, runTrial, steps, type Trial } from './purchase-trial.ts'
import { stopSellers } from './running-seller.ts'

const clients = ['x402', 'mppx'] as const

/** Every combination: the `full` matrix. */
const all: Trial[] = steps.flatMap(step =>
  blockSeconds.flatMap(blocks =>
    clients.flatMap((client): Trial[] => [
      { client, step, blocks, hasKey: true, next: 'retries' },
      { client, step, blocks, hasKey: false, next: 'retries' },
      { client, step, blocks, hasKey: false, next: 'looks' },
    ]),
  ),
)

/** Some of them: each step once, with late blocks and the other values in turn. */
const some: Trial[] = steps.map((step, i) => ({
  client: clients[i % 2] ?? 'x402',
  step,
  blocks: 45,
  hasKey: i % 4 < 2,
  next: i % 5 === 4 ? 'looks' : 'retries',
}))

const part = process.env.ASOF_TEST_PURCHASES ?? ''
const trials =
  part === '' ? some : all.filter(({ blocks, client }) => part === 'full' || part === `${blocks} ${client}`)

interface Tally {
  trials: number
  right: number
  paidTwice: number
  paidForNothing: number
}
const tallies = new Map<string, Tally>()

afterAll(() => {
  stopSellers()
  console.table(Object.fromEntries([...tallies].sort()))
})

function count({ client, blocks, hasKey, next }: Trial, paid: number, plans: number, isRight: boolean): void {
  const group = `${client}, blocks of ${blocks} s, ${next === 'looks' ? 'looks' : hasKey ? 'key' : 'no key'}`
  const tally = tallies.get(group) ?? { trials: 0, right: 0, paidTwice: 0, paidForNothing: 0 }
  tallies.set(group, tally)
  tally.trials += 1
  tally.right += Number(isRight)
  tally.paidTwice += Number(paid > 1)
  tally.paidForNothing += Number(paid > plans)
}

describe.concurrent('a stock client that buys a plan from a seller that is killed', () => {
  for (const trial of trials) {
    const { client, step, blocks, hasKey, next } = trial
    const how = next === 'looks' ? 'only looks at its plans' : `buys again ${hasKey ? 'with a key' : 'without a key'}`
    it(`${step}, ${blocks} s blocks: ${client} ${how}: it has what it paid, once`, async () => {
      const { paid, plans, problems } = await runTrial(trial)
      // Who only looks has paid nothing if the transfer was never sent.
      const isRight = paid === plans && (plans === 1 || (plans === 0 && next === 'looks')) && problems.length === 0
      count(trial, paid, plans, isRight)
      expect({ paid, plans, problems, isRight }).toEqual({ paid: plans, plans, problems: [], isRight: true })
    })
  }
})
