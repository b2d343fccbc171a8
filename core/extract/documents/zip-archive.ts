import { AsofError } from '../../errors.ts'
import { decodeBody, tidy } from '../charset.ts'
import { loadOptional } from './optional-library.ts'

const MAX_FILES = 20_000
const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Of all files read from one archive, unpacked. */
const MAX_READ_BYTES = 128 * 1024 * 1024

type Fflate = typeof import('fflate')

/** The files of a ZIP archive, unpacked when asked for. What is read of one archive is at most 128 MiB unpacked. */
export class ZipArchive {
  readonly #fflate: Fflate
  readonly #bytes: Uint8Array
  /** Unpacked size by name, as the directory declares it. */
  readonly #sizes: ReadonlyMap<string, number>
  #readBytes = 0

  private constructor(fflate: Fflate, bytes: Uint8Array, sizes: ReadonlyMap<string, number>) {
    this.#fflate = fflate
    this.#bytes = bytes
    this.#sizes = sizes
  }

  /**
   * @throws ASOF_EXTRACT_FAILED - no sound archive, or one of over 20,000 files.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - fflate is not installed.
   */
  static async open(bytes: Uint8Array): Promise<ZipArchive> {
    const fflate = await loadOptional('fflate', 'an EPUB or Office document', () => import('fflate'))
    const sizes = new Map<string, number>()
    unpacked(fflate, bytes, ({ name, originalSize }) => {
      if (sizes.size < MAX_FILES) sizes.set(name, originalSize)
      return false
    })
    if (sizes.size >= MAX_FILES) throw unsound(`it holds over ${MAX_FILES} files`)
    return new ZipArchive(fflate, bytes, sizes)
  }

  has(name: string): boolean {
    return this.#sizes.has(name)
  }

  get names(): Iterable<string> {
    return this.#sizes.keys()
  }

  /**
   * The bytes of some files by name; those that the archive doesn't hold are left out.
   *
   * @throws ASOF_EXTRACT_TOO_LARGE - a file over 64 MiB, or more than 128 MiB in all.
   * @throws ASOF_EXTRACT_FAILED - a file is broken.
   */
  read(names: Iterable<string>): Map<string, Uint8Array> {
    const wanted = new Set<string>()
    for (const name of names) {
      const size = this.#sizes.get(name)
      if (size === undefined || wanted.has(name)) continue
      this.#readBytes += size
      if (size > MAX_FILE_BYTES || this.#readBytes > MAX_READ_BYTES) {
        throw new AsofError(
          'ASOF_EXTRACT_TOO_LARGE',
          `${name} unpacks to ${size} bytes, more than is read of a document`,
          {
            details: { bytes: size, maxBytes: MAX_FILE_BYTES },
          },
        )
      }
      wanted.add(name)
    }
    const files = wanted.size === 0 ? {} : unpacked(this.#fflate, this.#bytes, ({ name }) => wanted.delete(name))
    return new Map(Object.entries(files))
  }

  /** The text of one file; `undefined` when the archive doesn't hold it. Errors are those of {@link read}. */
  text(name: string): string | undefined {
    const bytes = this.read([name]).get(name)
    return bytes && tidy(decodeBody(bytes, undefined))
  }

  /** An archive of some of the files as they are, not packed: what is in it is what was counted here. */
  copyOf(names: Iterable<string>): Uint8Array {
    return this.#fflate.zipSync(Object.fromEntries(this.read(names)), { level: 0 })
  }
}

function unpacked(
  fflate: Fflate,
  bytes: Uint8Array,
  filter: (file: { name: string; originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return fflate.unzipSync(bytes, { filter })
  } catch (cause) {
    // Whatever fflate reports about bytes from anywhere, it means that they are not an archive.
    throw unsound('it is damaged', cause)
  }
}

function unsound(why: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_EXTRACT_FAILED', `the document is not a valid ZIP archive: ${why}`, { cause })
}
