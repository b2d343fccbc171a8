import { parseArgs } from 'node:util'
import { open } from '@asof/core'
import { acquiredBefore, backTest, publishedBefore, sealed } from './back-test.ts'
import { createWorld } from './world.ts'

const { values } = parseArgs({ options: { data: { type: 'string', default: ':memory:' } } })

const world = createWorld()
const engine = await open(values.data)
if ((await engine.stats()).captures === 0) {
  const { failures } = await engine.add(world.archive)
  if (failures[0]) throw new Error(failures[0].message)
}

const pasts = { 'sealed at T': sealed, 'published before T': publishedBefore, 'acquired before T': acquiredBefore }
const truth = await backTest(engine, world, sealed)
const percent = (share: number) => `${(share * 100).toFixed(1)} %`
const widths = [10, 8, 15, 11, 7, 8]
const print = (name: string, ...cells: unknown[]) =>
  console.log(name.padEnd(18), ...cells.map((cell, i) => String(cell).padStart(widths[i] ?? 0)))

print('The agent reads', 'Positions', 'Right', 'Mean return', 'From later', 'Missed', 'Differs')
for (const [name, pastOf] of Object.entries(pasts)) {
  const outcome = await backTest(engine, world, pastOf)
  const { taken, right, meanReturn, standardError, fromLater, found, positions } = outcome
  const missed = truth.found.flatMap((urls, i) => urls.filter(url => !found[i]?.includes(url))).length
  const differing = positions.filter((position, i) => position !== truth.positions[i]).length
  const returned = `${percent(meanReturn)} ± ${percent(standardError)}`
  print(name, taken, percent(right / taken), returned, fromLater, missed, differing)
}
await engine.close()
