import type { ChunkSink, ChunkSource, StreamId } from '../../../core/segment/streams.ts'
import { AsofError } from '../../../extract/errors/errors.ts'

/** The chunks of a segment, kept in memory. */
export class MemoryChunks implements ChunkSink, ChunkSource {
  readonly chunks = new Map<string, Uint8Array>()

  put(stream: StreamId, chunk: number, bytes: Uint8Array): void {
    const name = `${stream}/${chunk}`
    if (this.chunks.has(name)) throw new TypeError(`chunk ${name} is written twice`)
    this.chunks.set(name, bytes)
  }

  get(stream: StreamId, chunk: number): Uint8Array {
    const bytes = this.chunks.get(`${stream}/${chunk}`)
    if (!bytes) throw new AsofError('ASOF_STORE_CORRUPT', `chunk ${chunk} of stream ${stream} is missing`)
    return bytes
  }
}
