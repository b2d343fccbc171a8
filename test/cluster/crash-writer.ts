/** Adds the batches of a history to a cluster, from a given one on, and prints the number of each when it is acknowledged. */
import { openCluster } from '../../cluster/index.ts'
import { batchOf } from './crash-script.ts'

const [options = '{}', from = '0'] = process.argv.slice(2)
const engine = await openCluster(JSON.parse(options))
process.stdout.write('open\n')
for (let number = Number(from); ; number++) {
  const { failed } = await engine.add(batchOf(number))
  if (failed.length > 0) throw failed[0]?.error
  process.stdout.write(`${number}\n`)
}
