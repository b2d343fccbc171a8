import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { s3Credentials, startS3 } from '../../servers/s3.ts'
import { whyNoS3 } from '../../servers/s3-install.ts'

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
