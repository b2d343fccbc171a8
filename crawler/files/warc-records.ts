import { isAsofError } from '@asof/core'
import { decompressed } from './decompressed.ts'
import { badRecord } from './imported-record.ts'
import { StreamReader } from './stream-reader.ts'
import { MAX_HEADER_BYTES, RecordBlock, readFields, startsRecord, WarcRecord } from './warc-record.ts'

/** Called for a part of the file that is not a record. */
export type OnDamage = (where: string, error: Error) => void

/**
 * Yields the records of a WARC file, also of one that is compressed by gzip or Zstandard, record by record or as a whole. A part that is
 * not a record is reported, and reading continues with the next line that begins like a record.
 *
 * @throws ASOF_INVALID_CAPTURE - the file does not begin like WARC.
 */
export async function* warcRecords(source: AsyncIterable<Uint8Array>, onDamage: OnDamage): AsyncGenerator<WarcRecord> {
  const reader = new StreamReader(decompressed(source))
  let number = 0
  let isLost = false
  try {
    for (;;) {
      const next = await findRecord(reader)
      if (number === 0 && (next.skipped > 0 || !next.found) && !next.isEmpty)
        throw badRecord('the file is not WARC: it does not begin with WARC/')
      if (next.skipped > 0 && !isLost)
        onDamage(
          `after record ${number}`,
          badRecord(`${next.skipped} bytes are not part of a record, and were skipped`),
        )
      if (!next.found) return
      const where = `record ${++number}`
      const record = await readRecord(reader, number, error => onDamage(where, error))
      isLost = record === undefined
      if (!record) continue
      yield record
      await record.block.end()
    }
  } catch (error) {
    // Compressed data can be damaged anywhere.
    if (number === 0 || !isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
    onDamage(`after record ${number}`, error)
  } finally {
    await reader.close()
  }
}

/** Reads up to and with the first line of the next record. */
async function findRecord(reader: StreamReader): Promise<{ found: boolean; skipped: number; isEmpty: boolean }> {
  let skipped = 0
  let isLineStart = true
  for (let isEmpty = true; ; isEmpty = false) {
    const line = await reader.line(MAX_HEADER_BYTES)
    if (!line) return { found: false, skipped, isEmpty }
    if (isLineStart && startsRecord(line)) return { found: true, skipped, isEmpty: false }
    // Blank lines end a record (ISO 28500, 4). Software disagrees about their number.
    if (line.length > 2 || line.toString('latin1').trim() !== '') skipped += line.length
    isLineStart = line.at(-1) === 10
  }
}

async function readRecord(
  reader: StreamReader,
  number: number,
  onDamage: (error: Error) => void,
): Promise<WarcRecord | undefined> {
  try {
    const fields = await readFields(reader)
    const length = fields.get('Content-Length') ?? ''
    // Without the length of this record, the next one cannot be found.
    if (!/^\d{1,15}$/.test(length)) throw badRecord('Content-Length must be a whole number of bytes')
    return new WarcRecord(number, fields, new RecordBlock(reader, Number(length)))
  } catch (error) {
    if (!isAsofError(error, 'ASOF_INVALID_CAPTURE')) throw error
    onDamage(error)
    return undefined
  }
}
