/** A part of an object. */
export interface ByteRange {
  /** Offset of the first byte. */
  at: number
  /** Number of bytes. */
  length: number
}

/** An object in the answer of {@link ObjectStore.list}. */
export interface ListedObject {
  key: string
  bytes: number
  /** The time at which the object was put, by the clock of the store, epoch ms. */
  putAt: number
}

/**
 * A store of objects that are put once, read in parts and deleted, such as S3. Each method fails with ASOF_STORE_READ, with status 503 if
 * the store cannot be reached.
 */
export interface ObjectStore {
  /** Puts an object. When the promise resolves, the object survives a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Reads an object or a part of it. Returns undefined if the object does not exist or is shorter than the range. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined>
  /** Deletes objects. An object that does not exist is no failure. */
  delete(keys: readonly string[]): Promise<void>
  /** Lists the objects whose keys begin with the prefix, which ends with `/`. */
  list(prefix: string): AsyncIterable<ListedObject>
  close(): void
}
