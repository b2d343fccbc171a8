import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { CollectionError } from './collection-error.ts'

/**
 * Reads the non-empty lines of a text file, each with its number, counted from 1. If there is no such file, reads the
 * gzipped file with the name plus `.gz`.
 *
 * @throws CollectionError - neither file exists or can be read.
 */
export async function* textLines(path: string): AsyncGenerator<[line: string, number: number], void, undefined> {
  const found = existsSync(path) ? path : `${path}.gz`
  if (!existsSync(found)) throw new CollectionError(`${path} does not exist, nor does ${found}`)
  const bytes = createReadStream(found)
  const input = found.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  const failed = new Promise<never>((_, reject) => {
    for (const stream of [bytes, input]) stream.once('error', reject)
  })
  // The loop below throws the failure. This handler only prevents an unhandled rejection.
  failed.catch(() => {})
  const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
  try {
    for (let number = 1; ; number++) {
      const { value, done } = await Promise.race([lines.next(), failed])
      if (done) return
      if (value.trim() !== '') yield [value, number]
    }
  } catch (cause) {
    throw new CollectionError(`${found} cannot be read`, { cause })
  } finally {
    bytes.destroy()
  }
}

/**
 * Reads a file of JSON lines, see {@link textLines}.
 *
 * @throws CollectionError - also if a line is not a JSON object; the message has its number.
 */
export async function* jsonLines(
  path: string,
): AsyncGenerator<[value: Record<string, unknown>, number: number], void, undefined> {
  for await (const [line, number] of textLines(path)) {
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch (cause) {
      throw new CollectionError(`${path}, line ${number}: not valid JSON`, { cause })
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new CollectionError(`${path}, line ${number}: expected a JSON object`)
    yield [value as Record<string, unknown>, number]
  }
}
