import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ClassicLevel } from 'classic-level'

const options = { keyEncoding: 'view', valueEncoding: 'view', compression: false } as const

/** A temporary LevelDB folder, filled by `fill` and closed. */
export async function withDatabase(
  fill: (database: ClassicLevel<Uint8Array, Uint8Array>) => Promise<void>,
  use: (location: string) => Promise<void>,
  settings: { blockSize?: number; maxFileSize?: number; writeBufferSize?: number } = {},
): Promise<void> {
  const location = await mkdtemp(path.join(tmpdir(), 'asof-leveldb-'))
  try {
    const database = new ClassicLevel<Uint8Array, Uint8Array>(location, { ...options, ...settings })
    await database.open({ ...options, ...settings })
    await fill(database)
    await database.close()
    await use(location)
  } finally {
    await rm(location, { recursive: true, force: true })
  }
}

export const keyOf = (number: number): Uint8Array => Buffer.from(`k${String(number).padStart(6, '0')}`)
/** A value of about a hundred bytes, made of its number alone. */
export const contentOf = (number: number): Uint8Array =>
  Buffer.from(Array.from({ length: 12 }, (_, i) => ((number + 1) * 2654435761 + i * 97).toString(36)).join(' '))

export async function filesNamed(location: string, pattern: RegExp): Promise<string[]> {
  return (await readdir(location)).filter(name => pattern.test(name)).sort()
}

/** Changes the bytes of a file. */
export async function changeFile(file: string, change: (bytes: Buffer) => Uint8Array): Promise<void> {
  await writeFile(file, change(await readFile(file)))
}

export function flipped(at: number): (bytes: Buffer) => Buffer {
  return bytes => {
    bytes[at]! ^= 0x10
    return bytes
  }
}
