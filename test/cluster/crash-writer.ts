/** Adds the batches of a history to a cluster, from a given one on, and prints the number of each when it is acknowledged. */
import { openCluster } from '../../cluster/index.ts'
import { batchOf } from './crash-script.ts'

const [options = '{}', from = '0'] = process.argv.slice(2)
const engine = await openCluster(JSON.parse(options))
process.stdout.write('open\n')
for (let number = Number(from); ; number++) {
  const { failures } = await engine.add(batchOf(number))
  if (failures.length > 0) throw new Error(failures[0]?.message)
  process.stdout.write(`${number}\n`)
}
