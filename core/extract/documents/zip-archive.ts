import { AsofError, isAsofError } from '../../errors.ts'
import { decodeBody, tidy } from '../encoding/charset.ts'
import { loadDocumentPackage } from './document-packages.ts'

const MAX_FILES = 20_000
const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Of all files read from one archive, unpacked. */
const MAX_READ_BYTES = 128 * 1024 * 1024

type Fflate = typeof import('fflate')

/** The files of a ZIP archive, unpacked when asked for. At most 128 MiB, unpacked, are read of one archive. */
export class ZipArchive {
  readonly #fflate: Fflate
  readonly #bytes: Uint8Array
  readonly #names: ReadonlySet<string>
  #readBytes = 0

  private constructor(fflate: Fflate, bytes: Uint8Array, names: ReadonlySet<string>) {
    this.#fflate = fflate
    this.#bytes = bytes
    this.#names = names
  }

  /**
   * @throws ASOF_EXTRACT_FAILED - not an archive, more than 20,000 files, or two files of one name, since readers
   *   disagree on which of them counts.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - fflate is not installed.
   */
  static async open(bytes: Uint8Array): Promise<ZipArchive> {
    const fflate = await loadDocumentPackage(() => import('fflate'))
    const names = new Set<string>()
    unpacked(fflate, bytes, ({ name }) => {
      if (names.has(name)) throw unsound(`it holds two files named ${JSON.stringify(name.slice(0, 200))}`)
      if (names.size === MAX_FILES) throw unsound(`it holds more than ${MAX_FILES} files`)
      names.add(name)
      return false
    })
    return new ZipArchive(fflate, bytes, names)
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  get names(): Iterable<string> {
    return this.#names
  }

  /**
   * The bytes of some files by name; those that the archive doesn't hold are left out.
   *
   * @throws ASOF_EXTRACT_TOO_LARGE - a file over 64 MiB, or more than 128 MiB in all.
   * @throws ASOF_EXTRACT_FAILED - a file is broken.
   */
  read(names: Iterable<string>): Map<string, Uint8Array> {
    const wanted = new Set([...names].filter(name => this.#names.has(name)))
    if (wanted.size === 0) return new Map()
    const files = unpacked(this.#fflate, this.#bytes, ({ name, size, originalSize }) => {
      if (!wanted.has(name)) return false
      // A packed file ends at the size that this directory entry declares, since fflate unpacks into a buffer of that size.
      // A file that is not packed is as large as `size`, whatever else is declared.
      this.#count(name, Math.max(size, originalSize))
      return true
    })
    return new Map(Object.entries(files))
  }

  #count(name: string, bytes: number): void {
    this.#readBytes += bytes
    if (bytes <= MAX_FILE_BYTES && this.#readBytes <= MAX_READ_BYTES) return
    throw new AsofError(
      'ASOF_EXTRACT_TOO_LARGE',
      `${name} unpacks to ${bytes} bytes, which is more than a document may hold`,
      { details: { bytes, maxBytes: MAX_FILE_BYTES } },
    )
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
  filter: (file: { name: string; size: number; originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return fflate.unzipSync(bytes, { filter })
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    // Whatever fflate reports about bytes from anywhere means that they are not an archive.
    throw unsound('it is damaged', cause)
  }
}

function unsound(why: string, cause?: unknown): AsofError {
  return new AsofError('ASOF_EXTRACT_FAILED', `the document is not a valid ZIP archive: ${why}`, { cause })
}
