import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import postgres from 'postgres'
import { afterEach, beforeEach } from 'vitest'
import type { ClusterEngine } from '../../../cluster/index.ts'
import { s3Credentials, startS3 } from '../../servers/s3.ts'
import { whyNoS3 } from '../../servers/s3-install.ts'
import { newName, openTestCluster, servers } from '../test-cluster.ts'

/** A store of objects of one test, empty at first. */
export interface TestStore {
  url: string
  /** The folder that has the objects as files. */
  folder: string
  stop(): Promise<void>
}

const noS3 = whyNoS3()
if (noS3) console.warn(`test/cluster/objects: S3 is skipped: ${noS3}`)

/** The kinds of stores that this machine can test. */
export const storeKinds: readonly ('folder' | 's3')[] = noS3 ? ['folder'] : ['folder', 's3']

export async function startStore(kind: 'folder' | 's3'): Promise<TestStore> {
  if (kind === 's3') {
    Object.assign(process.env, s3Credentials)
    return startS3()
  }
  const folder = await mkdtemp(join(tmpdir(), 'asof-objects-'))
  return { url: pathToFileURL(folder).href, folder, stop: () => rm(folder, { recursive: true }) }
}

/** A cluster of one test with its bodies in a store. */
export interface StoredCluster {
  store: TestStore
  name: string
  /** It keeps nothing in memory, so that it reads each body from the store. */
  cluster: ClusterEngine
  /** Asks the schema of the cluster directly. */
  sql: postgres.Sql
}

/** Opens a new cluster for each test of the suite that calls this. */
export function clusterOfEachTest(kind: 'folder' | 's3'): StoredCluster {
  const opened = {} as StoredCluster
  beforeEach(async () => {
    const store = await startStore(kind)
    const name = newName()
    const cluster = await openTestCluster({ name, objects: store.url, cacheBytes: 0 })
    const sql = postgres(servers!.database, { onnotice: () => {}, connection: { search_path: name } })
    Object.assign(opened, { store, name, cluster, sql })
  })
  afterEach(async () => {
    await opened.cluster?.close()
    await opened.sql?.end()
    await opened.store?.stop()
  })
  return opened
}
