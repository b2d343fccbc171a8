import { decodeBody, tidy } from '../encoding/charset.ts'
import { AsofError, isAsofError } from '../errors/errors.ts'
import { said } from '../errors/said.ts'
import { loadDocumentPackage } from './document-packages.ts'

/** Says where a file name comes from that an error shows: `where` of {@link said}. */
const FILE_NAME = 'file in the archive'

const MAX_FILES = 20_000
const MAX_FILE_BYTES = 64 * 1024 * 1024
/** Maximum unpacked size of all files that are read from one archive, bytes. */
const MAX_READ_BYTES = 128 * 1024 * 1024

type Fflate = typeof import('fflate')

/** The files of a ZIP archive, unpacked on request up to a total size of 128 MiB. */
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
   * @throws ASOF_EXTRACT_FAILED - the bytes are no archive, or it has more than 20,000 files. Also if two files have
   *   the same name, because programs differ in which one they read.
   * @throws ASOF_EXTRACT_LIBRARY_MISSING - fflate is not installed.
   */
  static async open(bytes: Uint8Array): Promise<ZipArchive> {
    const fflate = await loadDocumentPackage(() => import('fflate'))
    const names = new Set<string>()
    unpack(fflate, bytes, ({ name }) => {
      if (names.has(name)) throw invalidArchive('it contains two files with the same name', undefined, name)
      if (names.size === MAX_FILES) throw invalidArchive(`it contains more than ${MAX_FILES} files`)
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
   * Returns the bytes of files by name. Ignores names that the archive does not have.
   *
   * @throws ASOF_EXTRACT_TOO_LARGE - a file is larger than 64 MiB, or all files together are larger than 128 MiB.
   * @throws ASOF_EXTRACT_FAILED - a file is damaged.
   */
  read(names: Iterable<string>): Map<string, Uint8Array> {
    const wanted = new Set([...names].filter(name => this.#names.has(name)))
    if (wanted.size === 0) return new Map()
    const files = unpack(this.#fflate, this.#bytes, ({ name, size, originalSize }) => {
      if (!wanted.has(name)) return false
      // For a compressed file, fflate allocates the declared size and does not exceed it. A file that is stored
      // uncompressed has `size` bytes, whatever it declares.
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
      `the document is too large: with a file of ${bytes} bytes unpacked it exceeds ${MAX_FILE_BYTES} bytes a file or ${MAX_READ_BYTES} bytes in all`,
      { details: { bytes, maxBytes: MAX_FILE_BYTES, said: said(FILE_NAME, name) } },
    )
  }

  /** Returns the text of a file; undefined if the archive does not contain it. Throws as {@link read} does. */
  text(name: string): string | undefined {
    const bytes = this.read([name]).get(name)
    return bytes && tidy(decodeBody(bytes, undefined))
  }

  /**
   * Returns a new archive with some of the files, uncompressed. Throws as {@link read} does.
   *
   * @param edit - returns the bytes of a file in the copy.
   */
  copyOf(names: Iterable<string>, edit: (name: string, bytes: Uint8Array) => Uint8Array): Uint8Array {
    const files = [...this.read(names)].map(([name, bytes]) => [name, edit(name, bytes)] as const)
    return this.#fflate.zipSync(Object.fromEntries(files), { level: 0 })
  }
}

function unpack(
  fflate: Fflate,
  bytes: Uint8Array,
  filter: (file: { name: string; size: number; originalSize: number }) => boolean,
): Record<string, Uint8Array> {
  try {
    return fflate.unzipSync(bytes, { filter })
  } catch (cause) {
    if (isAsofError(cause)) throw cause
    // All errors of fflate mean that the archive is damaged.
    throw invalidArchive('it is damaged', cause)
  }
}

function invalidArchive(why: string, cause?: unknown, file?: string): AsofError {
  return new AsofError('ASOF_EXTRACT_FAILED', `the document is not a valid ZIP archive: ${why}`, {
    cause,
    details: file === undefined ? undefined : { said: said(FILE_NAME, file) },
  })
}
