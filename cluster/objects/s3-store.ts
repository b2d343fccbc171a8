import { isError, loadOptional } from '@asof/extract/errors'
import type { S3Client } from '@aws-sdk/client-s3'
import { s3Packages } from '../cluster-packages.ts'
import type { ByteRange, ListedObject, ObjectStore } from './object-store.ts'
import { objectStoreFailure } from './object-store-failure.ts'

/**
 * Time limit for connecting, and then for an answer, ms. All attempts together take less time than other writers wait for the lock of the
 * state row.
 */
const CONNECT_MS = 4_000
const ANSWER_MS = 12_000
const ATTEMPTS = 3
/** Maximum number of objects in one delete request, a limit of S3. */
const DELETED_AT_ONCE = 1_000

type S3 = typeof import('@aws-sdk/client-s3')

/**
 * An object store in a bucket of S3, or of a server with the interface of S3. The AWS SDK finds the credentials: in the environment
 * (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`), a profile, or the role of the machine.
 */
export class S3Store implements ObjectStore {
  readonly #s3: S3
  readonly #client: S3Client
  readonly #bucket: string
  /** Prefix of all keys of this store in the bucket. */
  readonly #prefix: string

  private constructor(s3: S3, place: URL) {
    const endpoint = place.searchParams.get('endpoint') ?? undefined
    const path = decodeURIComponent(place.pathname).replace(/^\/+|\/+$/g, '')
    this.#s3 = s3
    this.#bucket = place.host
    this.#prefix = path === '' ? '' : `${path}/`
    this.#client = new s3.S3Client({
      endpoint,
      // If undefined, the SDK takes the region of the environment or the profile. Other servers than AWS have no region, but the SDK needs one.
      region: place.searchParams.get('region') ?? (endpoint && !process.env.AWS_REGION ? 'us-east-1' : undefined),
      forcePathStyle: endpoint !== undefined,
      maxAttempts: ATTEMPTS,
      // Bodies are authenticated when they are decrypted, and not all servers support the checksums of the SDK.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        socketTimeout: ANSWER_MS,
      },
    })
  }

  /** @param place - `s3://bucket/prefix?endpoint=…&region=…`. @throws ASOF_PACKAGE_MISSING */
  static async open(place: URL): Promise<S3Store> {
    return new S3Store(await loadOptional(s3Packages, () => import('@aws-sdk/client-s3')), place)
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await sent(() => this.#client.send(new this.#s3.PutObjectCommand({ ...this.#place(key), Body: bytes })))
  }

  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    return sent(async () => {
      try {
        const Range = range && `bytes=${range.at}-${range.at + range.length - 1}`
        const { Body } = await this.#client.send(new this.#s3.GetObjectCommand({ ...this.#place(key), Range }))
        const bytes = await Body!.transformToByteArray()
        return range && bytes.length !== range.length ? undefined : bytes
      } catch (error) {
        const name = isError(error) ? error.name : ''
        if (name === 'NoSuchKey' || name === 'InvalidRange') return undefined
        throw error
      }
    })
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += DELETED_AT_ONCE) {
      const Objects = keys.slice(from, from + DELETED_AT_ONCE).map(key => ({ Key: this.#prefix + key }))
      const request = { Bucket: this.#bucket, Delete: { Objects, Quiet: true } }
      const { Errors } = await sent(() => this.#client.send(new this.#s3.DeleteObjectsCommand(request)))
      if (Errors?.[0]) throw objectStoreFailure({ name: Errors[0].Code })
    }
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    let next: string | undefined
    do {
      const request = { Bucket: this.#bucket, Prefix: this.#prefix + prefix, ContinuationToken: next }
      const found = await sent(() => this.#client.send(new this.#s3.ListObjectsV2Command(request)))
      for (const { Key, Size = 0, LastModified } of found.Contents ?? [])
        yield {
          key: Key!.slice(this.#prefix.length),
          bytes: Size,
          putAt: LastModified?.getTime() ?? Number.POSITIVE_INFINITY,
        }
      next = found.NextContinuationToken
    } while (next !== undefined)
  }

  close(): void {
    this.#client.destroy()
  }

  #place(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: this.#prefix + key }
  }
}

async function sent<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request()
  } catch (error) {
    throw objectStoreFailure(error)
  }
}
