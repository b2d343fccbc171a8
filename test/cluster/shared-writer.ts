/** Adds captures to pages that other processes change at the same time, and prints when it begins and ends. */
import { openCluster } from '../../cluster/index.ts'
import { sharedAddition } from './shared-script.ts'

const [options = '{}', writer = 'a', batches = '1', batch = '1'] = process.argv.slice(2)
const engine = await openCluster(JSON.parse(options))
process.stdout.write('open\n')
// All begin at once.
await new Promise(resolve => process.stdin.once('data', resolve))
for (let number = 0; number < Number(batches); number++) {
  const { failures } = await engine.add(sharedAddition(writer, number, Number(batch)))
  if (failures.length > 0) throw new Error(failures[0]?.message)
}
process.stdout.write('done\n')
await engine.close()
process.exit()
