/** A part of an object. */
export interface ByteRange {
  /** Offset of the first byte. */
  at: number
  /** Number of bytes. */
  length: number
}

/** An object as a list gives it. */
export interface ListedObject {
  key: string
  bytes: number
  /** When it was put, by the clock of the store, epoch ms. */
  putAt: number
}

/**
 * A store of objects that are put once, read in parts and deleted, such as S3. Each method fails with ASOF_STORE_READ, with status 503 if
 * the store cannot be reached.
 */
export interface ObjectStore {
  /** Puts an object. When it resolves, the object survives a crash. */
  put(key: string, bytes: Uint8Array): Promise<void>
  /** Reads an object or a part of it. Returns undefined if the object does not exist or is shorter than the range. */
  get(key: string, range?: ByteRange): Promise<Uint8Array | undefined>
  /** Deletes objects. Those that are gone already are no failure. */
  delete(keys: readonly string[]): Promise<void>
  /** Lists the objects whose keys begin with the prefix, which ends with `/`. */
  list(prefix: string): AsyncIterable<ListedObject>
  close(): void
}
