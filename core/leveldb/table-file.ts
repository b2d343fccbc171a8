import { type FileHandle, open } from 'node:fs/promises'
import { expectShape, LEVELDB_RESTART_EVERY } from './block-shape.ts'
import { maskedCrc32c } from './crc32c.ts'
import { TRAILER_BYTES } from './descriptor.ts'
import { Damage, damageOf, LevelReader } from './level-reader.ts'
import type { LevelEntry } from './log-file.ts'

const FOOTER_BYTES = 48
/** Size of the trailer after each block: the compression type and a CRC. */
const BLOCK_TRAILER_BYTES = 5
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb]
/** Number of bytes read at a time when neighboring blocks are read. */
const READ_BYTES = 1024 * 1024

/** The position of a block in the file. */
interface Handle {
  offset: number
  size: number
}

/** A data block, with the bounds of its internal keys. */
export interface IndexedBlock extends Handle {
  /** All keys are greater than this key. Undefined for the first block. */
  after: Uint8Array | undefined
  /** No key is greater than this key. */
  upTo: Uint8Array
}

/** A table file, opened for verification. */
export class TableFile {
  readonly path: string
  readonly bytes: number
  readonly #handle: FileHandle

  private constructor(path: string, handle: FileHandle, bytes: number) {
    this.path = path
    this.#handle = handle
    this.bytes = bytes
  }

  static async open(path: string): Promise<TableFile> {
    const handle = await open(path, 'r')
    try {
      return new TableFile(path, handle, (await handle.stat()).size)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  /**
   * Reads the index of the table, which lists its data blocks. Verifies the index and the filters.
   *
   * @throws Damage
   */
  async index(): Promise<IndexedBlock[]> {
    if (this.bytes < FOOTER_BYTES) throw new Damage('it is too short for a table')
    const footer = new LevelReader(await this.#read(this.bytes - FOOTER_BYTES, FOOTER_BYTES))
    const meta = handleOf(footer)
    const index = handleOf(footer)
    footer.at = FOOTER_BYTES - MAGIC.length
    if (!MAGIC.every(byte => footer.u8() === byte)) throw new Damage('it does not end as a table does')
    for (const { value } of blockEntries(await this.#block(meta))) await this.#block(handleOf(new LevelReader(value)))
    const blocks: IndexedBlock[] = []
    let end = 0
    let after: Uint8Array | undefined
    for (const { key, value } of blockEntries(await this.#block(index))) {
      const handle = handleOf(new LevelReader(value))
      if (handle.offset !== end) throw new Damage('its index leaves bytes out')
      end = handle.offset + handle.size + BLOCK_TRAILER_BYTES
      if (key.length < TRAILER_BYTES) throw new Damage('a key of its index is too short')
      blocks.push({ ...handle, after, upTo: key })
      after = key
    }
    return blocks
  }

  /**
   * Verifies the shape of the blocks that {@link index} returned, and the checksums of those for which `sums` returns true.
   *
   * @throws Damage
   */
  async verify(blocks: readonly IndexedBlock[], sums: (block: IndexedBlock) => boolean): Promise<void> {
    let buffer = Buffer.allocUnsafeSlow(0)
    for (let first = 0; first < blocks.length; ) {
      const from = blocks[first]!.offset
      let last = first
      while (last + 1 < blocks.length && endOf(blocks[last + 1]!) - from <= READ_BYTES) last++
      const length = endOf(blocks[last]!) - from
      // All reads share one buffer, because allocating a new one takes longer than the check.
      if (length > buffer.length) buffer = Buffer.allocUnsafeSlow(Math.max(length, READ_BYTES))
      const bytes = await this.#read(from, length, buffer)
      for (; first <= last; first++) {
        const block = blocks[first]!
        const at = block.offset - from
        if (sums(block)) verifyBlock(bytes, block, at)
        if (bytes[at + block.size] !== 0) throw compressionError(block)
        expectShape(bytes, at, block.size, block.after, block.upTo)
      }
    }
  }

  /**
   * Yields the entries of every undamaged data block, in the order of the file.
   *
   * @param onDamage - called for each part that cannot be read.
   */
  async *blocks(onDamage: (what: string) => void): AsyncGenerator<LevelEntry[]> {
    let blocks: IndexedBlock[]
    try {
      blocks = await this.index()
    } catch (error) {
      onDamage(damageOf(error))
      yield* this.#scan(onDamage)
      return
    }
    for (const block of blocks) {
      let entries: LevelEntry[]
      try {
        entries = blockEntries(await this.#block(block)).map(toEntry)
      } catch (error) {
        onDamage(damageOf(error))
        continue
      }
      yield entries
    }
  }

  /** Finds data blocks by their shape, for a table whose index is lost. */
  async *#scan(onDamage: (what: string) => void): AsyncGenerator<LevelEntry[]> {
    const bytes = await this.#read(0, this.bytes)
    for (let at = 0; at < bytes.length; ) {
      const size = blockSize(bytes, at)
      // The data blocks end here. The parts after them have another shape.
      if (size === undefined) return
      let entries: LevelEntry[]
      try {
        entries = blockEntries(verifyBlock(bytes, { offset: at, size }, at)).map(toEntry)
      } catch (error) {
        onDamage(damageOf(error))
        return
      }
      yield entries
      at += size + BLOCK_TRAILER_BYTES
    }
  }

  async #block(handle: Handle): Promise<Uint8Array> {
    return verifyBlock(await this.#read(handle.offset, handle.size + BLOCK_TRAILER_BYTES), handle, 0)
  }

  async #read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array> {
    if (offset + length > this.bytes) throw new Damage('a block lies beyond its end')
    const bytes = (into ?? Buffer.allocUnsafeSlow(length)).subarray(0, length)
    for (let filled = 0; filled < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, offset + filled)
      if (bytesRead === 0) throw new Damage('it ends early')
      filled += bytesRead
    }
    return bytes
  }
}

const endOf = ({ offset, size }: Handle): number => offset + size + BLOCK_TRAILER_BYTES

function handleOf(fields: LevelReader): Handle {
  return { offset: fields.varint(), size: fields.varint() }
}

/** Verifies the checksum of the block at offset `at` of `bytes`, and returns the contents of the block. */
function verifyBlock(bytes: Uint8Array, { offset, size }: Handle, at: number): Uint8Array {
  if (at + size + BLOCK_TRAILER_BYTES > bytes.length) throw new Damage('a block lies beyond its end')
  const summed = bytes.subarray(at, at + size + 1)
  if (maskedCrc32c(summed) !== new LevelReader(bytes, at + size + 1).u32())
    throw new Damage(`the checksum of the block at byte ${offset} does not fit`)
  if (summed[size] !== 0) throw compressionError({ offset })
  return summed.subarray(0, size)
}

function compressionError({ offset }: { offset: number }): Damage {
  return new Damage(`the block at byte ${offset} is compressed, which asof never asks for`)
}

/** Returns the keys and values of a block. */
function blockEntries(block: Uint8Array): { key: Uint8Array; value: Uint8Array }[] {
  if (block.length < 4) throw new Damage('a block is too short')
  const restarts = new LevelReader(block, block.length - 4).u32()
  const end = block.length - 4 - restarts * 4
  if (end < 0) throw new Damage('a block is too short for its restarts')
  const fields = new LevelReader(block.subarray(0, end))
  const entries: { key: Uint8Array; value: Uint8Array }[] = []
  let previous: Uint8Array = new Uint8Array(0)
  while (!fields.done) {
    const shared = fields.varint()
    const own = fields.varint()
    const valueBytes = fields.varint()
    if (shared > previous.length) throw new Damage('a key shares more with the one before than that has')
    const key = new Uint8Array(shared + own)
    key.set(previous.subarray(0, shared))
    key.set(fields.raw(own), shared)
    entries.push({ key, value: fields.raw(valueBytes) })
    previous = key
  }
  return entries
}

/** Returns the size of the data block that begins at `at`; undefined if there is none. */
function blockSize(bytes: Uint8Array, at: number): number | undefined {
  const fields = new LevelReader(bytes, at)
  try {
    for (let entries = 0; ; entries++) {
      const entryAt = fields.at
      const shared = fields.varint()
      const own = fields.varint()
      // Only the first restart point, which is 0, can look like an entry with an empty key. So the entries end here.
      if (shared === 0 && own === 0 && entries > 0)
        return entryAt - at + 4 * Math.ceil(entries / LEVELDB_RESTART_EVERY) + 4
      const valueBytes = fields.varint()
      if (shared + own < TRAILER_BYTES) return undefined
      fields.raw(own + valueBytes)
    }
  } catch (error) {
    if (error instanceof Damage) return undefined
    throw error
  }
}

/** Converts the internal key of an entry to the caller's key. */
function toEntry({ key, value }: { key: Uint8Array; value: Uint8Array }): LevelEntry {
  if (key.length < TRAILER_BYTES) throw new Damage('a key is too short')
  const end = key.length - TRAILER_BYTES
  const trailer = new LevelReader(key, end)
  const low = trailer.u32()
  const sequence = trailer.u32() * 2 ** 24 + (low >>> 8)
  const type = low & 255
  if (type > 1) throw new Damage('an entry is of unknown kind')
  return { key: key.subarray(0, end), sequence, value: type === 1 ? value : undefined }
}
