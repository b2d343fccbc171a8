/** Builds the index of a cluster again, and says when it begins and when it has finished. */
import { clusterTools } from '../../cluster/index.ts'

const [options = '{}'] = process.argv.slice(2)
process.stdout.write('open\n')
const { captures } = await clusterTools(JSON.parse(options)).reindex()
process.stdout.write(`${captures}\n`)
