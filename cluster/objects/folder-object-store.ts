import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf } from '@asof/extract/errors'
import type { ByteRange, ListedObject, ObjectStore } from './object-store.ts'
import { objectStoreFailure, unreachableStore } from './object-store-failure.ts'

/**
 * An object store in a folder that all servers of the cluster share; each object is a file. A file appears complete or not at all. Only the
 * last folder of a path is created, so that nothing is written below the mount point of a network folder that is not mounted.
 */
export class FolderObjectStore implements ObjectStore {
  readonly #folder: string

  constructor(place: URL) {
    this.#folder = fileURLToPath(place)
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.#folder, key)
    const written = `${path}.new`
    try {
      await makeFolder(dirname(path))
      const file = await open(written, 'w', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(written, path)
      await syncFolder(dirname(path))
    } catch (error) {
      if (isMissing(error)) throw unreachableStore('its folder is missing')
      throw objectStoreFailure(error)
    }
  }

  async get(key: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    try {
      const file = await open(join(this.#folder, key), 'r')
      try {
        if (!range) return await file.readFile()
        const { bytesRead, buffer } = await file.read(Buffer.alloc(range.length), 0, range.length, range.at)
        return bytesRead === range.length ? buffer : undefined
      } finally {
        await file.close()
      }
    } catch (error) {
      if (!isMissing(error)) throw objectStoreFailure(error)
      await this.#expectFolder()
      return undefined
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    try {
      for (const key of keys) await rm(join(this.#folder, key), { force: true })
    } catch (error) {
      throw objectStoreFailure(error)
    }
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    const names = await readdir(join(this.#folder, prefix), { withFileTypes: true }).catch((error: unknown) => {
      throw isMissing(error) ? unreachableStore('its folder is missing') : objectStoreFailure(error)
    })
    for (const entry of names) {
      const key = `${prefix}${entry.name}`
      if (entry.isDirectory()) yield* this.list(`${key}/`)
      else {
        // The file may have been deleted meanwhile.
        const found = await stat(join(this.#folder, key)).catch(() => undefined)
        if (found) yield { key, bytes: found.size, putAt: found.mtimeMs }
      }
    }
  }

  close(): void {}

  async #expectFolder(): Promise<void> {
    try {
      await stat(this.#folder)
    } catch (error) {
      throw isMissing(error) ? unreachableStore('its folder is missing') : objectStoreFailure(error)
    }
  }
}

/** Creates the folder, but not its parent. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 })
    await syncFolder(dirname(path))
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** Syncs a folder, so that its entries survive a crash. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}
