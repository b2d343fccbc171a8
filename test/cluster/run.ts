/**
 * `npm run test:cluster`: installs OpenSearch and an S3 server if they are missing, and runs the tests of clusters with the given
 * arguments. Where the servers cannot be had, the tests are skipped and say why.
 */
import { spawnSync } from 'node:child_process'
import './install-servers.ts'

const { status } = spawnSync('vitest', ['run', '--project', 'cluster', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
