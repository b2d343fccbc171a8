/** Installs OpenSearch and an S3 server for the tests of clusters, if they are missing and can be had. Run by `npm run test:cluster`. */
import { installOpenSearch, javaHome } from '../servers/opensearch-install.ts'
import { postgresBin } from '../servers/postgres.ts'
import { installS3 } from '../servers/s3-install.ts'

if (javaHome() && postgresBin()) {
  await installOpenSearch().catch((error: unknown) => console.warn(`OpenSearch could not be installed: ${error}`))
  await installS3().catch((error: unknown) => console.warn(`the S3 server could not be installed: ${error}`))
}
