import zlib from 'node:zlib'
import { isError } from '@asof/extract/errors'
import { badRecord } from './imported-record.ts'

/** The first bytes of gzip (RFC 1952) and of Zstandard (RFC 8878). No text begins with them. */
const GZIP = Buffer.of(0x1f, 0x8b)
const ZSTD = Buffer.of(0x28, 0xb5, 0x2f, 0xfd)

/**
 * Yields the bytes of a source, decompressed if they begin like gzip or Zstandard.
 *
 * @throws ASOF_INVALID_CAPTURE - the compressed data is damaged or ends early.
 */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const input = new Input(source)
  const first = await input.start(ZSTD.length)
  if (first.subarray(0, GZIP.length).equals(GZIP)) yield* through(() => zlib.createGunzip(), 'gzip', input)
  else if (first.equals(ZSTD)) yield* through(() => zlib.createZstdDecompress(), 'Zstandard', input)
  else yield* input.chunks()
}

/** The chunks of a source, of which some can be given back to be read again. */
class Input {
  readonly #source: AsyncIterator<Uint8Array>
  /** The chunks that are read next, before those of the source. */
  readonly #next: Uint8Array[] = []
  /** An error of the source itself. */
  failure: unknown

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Returns the first bytes, fewer if the source has fewer. They are read again. */
  async start(size: number): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of this.chunks()) {
      chunks.push(chunk)
      length += chunk.length
      if (length >= size) break
    }
    this.#next.push(...chunks)
    return Buffer.concat(chunks).subarray(0, size)
  }

  async *chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#next.shift() ?? (await this.#source.next())
        if (chunk instanceof Uint8Array) yield chunk
        else if (chunk.done) return
        else yield chunk.value
      }
    } catch (error) {
      this.failure = error
      throw error
    }
  }

  giveBack(chunk: Uint8Array): void {
    this.#next.unshift(chunk)
  }
}

/**
 * Decompresses the input. A Zstandard decoder of Node ends after the first of several frames, so each further frame gets a new one.
 *
 * @throws ASOF_INVALID_CAPTURE
 */
async function* through(newDecoder: () => Decoder, format: string, input: Input): AsyncGenerator<Uint8Array> {
  for (let isDone = false; !isDone; ) {
    const decoder = newDecoder()
    const feeding = feed(decoder, input)
    try {
      yield* decoder
    } catch (cause) {
      if (input.failure !== undefined) throw input.failure
      const error = badRecord(`the ${format} data is damaged or ends early`)
      error.cause = cause
      throw error
    } finally {
      decoder.destroy()
    }
    await feeding
    isDone = (await input.start(1)).length === 0
  }
}

type Decoder = zlib.Gunzip | zlib.ZstdDecompress

/** Writes the input to a decoder until either of them ends. Gives back what the decoder did not decode. */
async function feed(decoder: Decoder, input: Input): Promise<void> {
  let size = 0
  try {
    for await (const chunk of input.chunks()) {
      size += chunk.length
      const failure = await new Promise(resolve => decoder.write(chunk, resolve))
      if (failure) return
      const rest = size - decoder.bytesWritten
      if (rest === 0) continue
      // The data ended inside of the chunk. The decoder has ended too, and must not be given more.
      input.giveBack(chunk.subarray(chunk.length - rest))
      break
    }
  } catch (error) {
    decoder.destroy(isError(error) ? error : new Error(String(error)))
  }
  if (!decoder.destroyed) decoder.end()
}
