import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { s3Credentials, startS3 } from '../../test/servers/s3.ts'

/** The object store of a cluster that is measured; none if the bodies are in PostgreSQL. */
export interface BodyStore {
  objects: string | undefined
  stop: () => Promise<void>
}

/** @param kind - `folder`, `s3`, or undefined for none. */
export async function startBodyStore(kind: string | undefined): Promise<BodyStore> {
  if (kind === undefined) return { objects: undefined, stop: async () => {} }
  if (kind === 's3') {
    Object.assign(process.env, s3Credentials)
    const { url, stop } = await startS3()
    return { objects: url, stop }
  }
  if (kind !== 'folder') throw new Error('--objects is folder or s3')
  const folder = await mkdtemp(join(tmpdir(), 'asof-bench-objects-'))
  return { objects: pathToFileURL(folder).href, stop: () => rm(folder, { recursive: true }) }
}
