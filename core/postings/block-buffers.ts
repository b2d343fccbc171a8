import { BLOCK } from '../bytes/bit-packing.ts'

/** Number of buffers that are reused from one search to the next; a query of very many terms allocates more. */
const KEPT_BUFFERS = 1024

/** Buffers for the ordinals or frequencies of one block. The caller of {@link take} owns a buffer until the search ends. */
export class BlockBuffers {
  readonly #kept: Uint32Array[] = []
  #used = 0

  /** Makes the buffers of the previous search available again. */
  reuse(): void {
    this.#used = 0
  }

  take(): Uint32Array {
    if (this.#used === KEPT_BUFFERS) return new Uint32Array(BLOCK)
    const buffer = this.#kept[this.#used] ?? new Uint32Array(BLOCK)
    this.#kept[this.#used++] = buffer
    return buffer
  }
}
