/** Says what keeps this clone from being released, and then fails. Run by `npm run release:check`, also with a tag as `v1.2.3`. */
import { join } from 'node:path'
import { releaseFaults } from './release-faults.ts'

const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = process.env
const faults = releaseFaults(
  join(import.meta.dirname, '..'),
  process.argv[2],
  server && name ? `${server}/${name}` : undefined,
)
for (const fault of faults) console.error(`not released: ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
