/** Builds the index of a cluster again, and says when it begins and when it has finished. */
import { reindexCluster } from '../../cluster/index.ts'

const [options = '{}'] = process.argv.slice(2)
process.stdout.write('open\n')
const { captures } = await reindexCluster(JSON.parse(options))
process.stdout.write(`${captures}\n`)
