import { randomUUID } from 'node:crypto'
import { AsofError } from '@asof/core'
import { type BodyReference, decodeReference, decrypted, encrypted } from './body-reference.ts'
import type { ListedObject, ObjectStore } from './object-store.ts'
import { unreachableStore } from './object-store-failure.ts'
import { openObjectStore } from './open-object-store.ts'

/**
 * Maximum size of an object with more than one body, bytes. The bodies of a change are put together, because each request costs money and
 * time.
 */
const OBJECT_BYTES = 4 * 1024 * 1024
/** Two bodies of an object are read in one request if at most this number of bytes lies between them. */
const MAX_BETWEEN = 16 * 1024
/** The key of the object by which a cluster recognizes its store. */
const MARKER = 'cluster'

/** A body under the number of its capture. */
export interface NewBody {
  captureId: number
  body: Uint8Array
}

/** An object with the bodies of some captures. */
export interface NewObject {
  /** A UUID. */
  name: string
  bytes: Buffer
  references: Map<number, BodyReference>
}

/** The bodies of a cluster in its object store. */
export class Bodies {
  readonly store: ObjectStore
  /** Prefix of the keys of this cluster. */
  readonly #prefix: string
  #id: string | undefined

  private constructor(store: ObjectStore, cluster: string) {
    this.store = store
    this.#prefix = `${cluster}/`
  }

  /** @throws ASOF_INVALID_OPTION, ASOF_PACKAGE_MISSING */
  static async open(url: string, cluster: string): Promise<Bodies> {
    return new Bodies(await openObjectStore(url), cluster)
  }

  /** Marks the store as that of a new cluster. Returns the id by which the cluster recognizes it. @throws ASOF_INVALID_OPTION */
  async take(): Promise<string> {
    const marker = this.#prefix + MARKER
    // A store with a marker and no objects was left by a cluster whose creation failed.
    const isFree = (await this.store.get(marker)) === undefined || (await this.#isEmpty())
    if (!isFree)
      throw invalid(
        `the object store has bodies of another cluster with this name under ${this.#prefix}: use another one`,
      )
    this.#id = randomUUID()
    await this.store.put(marker, Buffer.from(this.#id))
    return this.#id
  }

  /** Checks that the store has the id that the cluster recorded. @throws ASOF_INVALID_OPTION, ASOF_STORE_READ */
  async expect(id: string): Promise<void> {
    this.#id = id
    if (!(await this.#isRecognized()))
      throw invalid(
        `the object store is not that of the cluster: its object ${this.#prefix}${MARKER} is another or missing`,
      )
  }

  /**
   * Checks that the store still has the marker.
   *
   * @throws ASOF_STORE_READ - it cannot be reached, or is another one, such as a folder that is not mounted.
   */
  async expectRecognized(): Promise<void> {
    if (!(await this.#isRecognized())) throw unreachableStore(`its object ${this.#prefix}${MARKER} is missing`)
  }

  async #isRecognized(): Promise<boolean> {
    const marker = await this.store.get(this.#prefix + MARKER)
    return marker !== undefined && Buffer.from(marker).toString() === this.#id
  }

  async #isEmpty(): Promise<boolean> {
    for await (const _ of this.list()) return false
    return true
  }

  /** Makes objects of bodies, without putting them into the store. */
  pack(bodies: readonly NewBody[]): NewObject[] {
    const objects: NewObject[] = []
    let parts: Buffer[] = []
    let at = 0
    let references = new Map<number, BodyReference>()
    let name = randomUUID() as string
    const finish = (): void => {
      if (references.size > 0) objects.push({ name, bytes: Buffer.concat(parts), references })
      name = randomUUID()
      parts = []
      at = 0
      references = new Map()
    }
    for (const { captureId, body } of bodies) {
      const { bytes, key, tag } = encrypted(body)
      if (at + bytes.length > OBJECT_BYTES) finish()
      references.set(captureId, { object: name, at, length: bytes.length, key, tag })
      parts.push(bytes)
      at += bytes.length
    }
    finish()
    return objects
  }

  async put(objects: readonly Pick<NewObject, 'name' | 'bytes'>[]): Promise<void> {
    await Promise.all(objects.map(({ name, bytes }) => this.store.put(this.keyOf(name), bytes)))
  }

  /**
   * Reads bodies. An object may be deleted after a reference to it was read. Then the page was deleted as well, or the body was copied to
   * another object.
   *
   * @param stored - the stored references, by the number of the capture.
   * @param readAgain - reads references again. Captures that no longer have a reference are left out.
   * @throws ASOF_STORE_CORRUPT - a body is missing or damaged. @throws ASOF_STORE_READ
   */
  async read(
    stored: ReadonlyMap<number, Uint8Array>,
    readAgain: (captureIds: readonly number[]) => Promise<ReadonlyMap<number, Uint8Array>>,
  ): Promise<Map<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>()
    for (let wanted = stored; wanted.size > 0; ) {
      const references = new Map<number, BodyReference>()
      for (const [id, reference] of wanted) references.set(id, decodeReference(reference) ?? lost(id))
      await this.#read(references, found)
      const missing = [...wanted.keys()].filter(id => !found.has(id))
      const again = missing.length > 0 ? await readAgain(missing) : new Map<number, Uint8Array>()
      for (const [id, reference] of again) {
        if (Buffer.compare(reference, wanted.get(id)!) !== 0) continue
        await this.expectRecognized()
        lost(id)
      }
      wanted = again
    }
    return found
  }

  /** Reads bodies into `found`. Leaves out those that are missing or damaged. */
  async #read(references: ReadonlyMap<number, BodyReference>, found: Map<number, Uint8Array>): Promise<void> {
    const readRun = async (run: readonly [number, BodyReference][]): Promise<void> => {
      const { object, at } = run[0]![1]
      const last = run.at(-1)![1]
      const bytes = await this.store.get(this.keyOf(object), { at, length: last.at + last.length - at })
      for (const [captureId, reference] of bytes ? run : []) {
        const from = reference.at - at
        const body = decrypted(bytes!.subarray(from, from + reference.length), reference)
        if (body) found.set(captureId, body)
      }
    }
    await Promise.all([...runsOf(references)].map(readRun))
  }

  /** Lists the objects of this cluster except its marker. */
  async *list(): AsyncGenerator<ListedObject & { name: string }> {
    for await (const listed of this.store.list(this.#prefix)) {
      const name = listed.key.slice(listed.key.lastIndexOf('/') + 1)
      if (listed.key !== this.#prefix + MARKER) yield { ...listed, name }
    }
  }

  /** Returns the key of an object. Objects are divided among 256 folders, because folders with too many files are slow. */
  keyOf(name: string): string {
    return `${this.#prefix}${name.slice(0, 2)}/${name}`
  }
}

/** Groups bodies that are near each other in one object, so that one request reads a group. */
function* runsOf(references: ReadonlyMap<number, BodyReference>): Generator<[number, BodyReference][]> {
  const inOrder = [...references].sort(
    ([, a], [, b]) => (a.object < b.object ? -1 : a.object > b.object ? 1 : 0) || a.at - b.at,
  )
  let run: [number, BodyReference][] = []
  for (const entry of inOrder) {
    const [, last] = run.at(-1) ?? []
    const [, next] = entry
    const isNear = last && last.object === next.object && next.at - (last.at + last.length) <= MAX_BETWEEN
    if (last && !isNear) {
      yield run
      run = []
    }
    run.push(entry)
  }
  if (run.length > 0) yield run
}

function lost(captureId: number): never {
  throw new AsofError(
    'ASOF_STORE_CORRUPT',
    `the body of capture ${captureId} is missing or damaged in the object store: restore a backup of its objects`,
    { details: { capture: captureId } },
  )
}

function invalid(message: string): AsofError {
  return new AsofError('ASOF_INVALID_OPTION', message, { details: { field: 'objects' } })
}
