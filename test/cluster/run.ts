/**
 * `npm run test:cluster`: installs OpenSearch and an S3 server if they are missing, and runs the tests of clusters with the given
 * arguments. Where the servers cannot be had, the tests are skipped and say why.
 */
import { spawnSync } from 'node:child_process'
import { installOpenSearch, javaHome } from '../servers/opensearch-install.ts'
import { postgresBin } from '../servers/postgres.ts'
import { installS3 } from '../servers/s3-install.ts'

if (javaHome() && postgresBin()) {
  await installOpenSearch().catch((error: unknown) => console.warn(`OpenSearch could not be installed: ${error}`))
  await installS3().catch((error: unknown) => console.warn(`the S3 server could not be installed: ${error}`))
}
const { status } = spawnSync('vitest', ['run', '--project', 'cluster', ...process.argv.slice(2)], { stdio: 'inherit' })
process.exit(status ?? 1)
