import { parseArgs } from 'node:util'
import { allAttacks } from './all-attacks.ts'
import { battle } from './battle.ts'
import { broken, table } from './verdict.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    only: { type: 'string' },
    pages: { type: 'string', default: '20000' },
    'p99-ms': { type: 'string', default: '1000' },
    'memory-mb': { type: 'string', default: '768' },
  },
})

const attacks = (await allAttacks()).filter(({ name }) => values.only === undefined || name.includes(values.only))
const outcome = await battle(attacks, { milliseconds: Number(values.minutes) * 60_000, pages: Number(values.pages) })
const wrong = broken(outcome, {
  p99Ms: Number(values['p99-ms']),
  memoryBytes: Number(values['memory-mb']) * 2 ** 20,
})
process.stdout.write(`${table(outcome)}\n\n${wrong.length === 0 ? 'all bounds hold' : wrong.join('\n')}\n`)
process.exitCode = wrong.length === 0 ? 0 : 1
