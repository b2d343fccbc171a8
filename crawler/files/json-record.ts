import { parseExactJson } from '@asof/extract/exact-json'
import { MAX_RECORD_BYTES } from './import-records.ts'
import { badRecord } from './imported-record.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses one JSON value, see `parseExactJson`. @throws ASOF_INVALID_CAPTURE */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return parseExactJson(utf8.decode(bytes))
  } catch (error) {
    if (error instanceof RangeError) throw badRecord('the record is nested too deep')
    throw badRecord(error instanceof SyntaxError ? 'the record is not valid JSON' : 'the record is not valid UTF-8')
  }
}

/** Returns the error for a record that exceeds the limit. */
export function tooLong(): Error {
  return badRecord(`the record is longer than ${MAX_RECORD_BYTES} bytes`)
}

/** Joins the parts of a record. */
export function joined(parts: Uint8Array[], size: number): Uint8Array {
  const [first] = parts
  return first && parts.length === 1 ? first : Buffer.concat(parts, size)
}
