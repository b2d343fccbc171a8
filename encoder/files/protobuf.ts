import { invalidModel } from './invalid-model.ts'

/** The value of a field of a protocol buffer: a number, or the bytes of anything else. */
export type ProtobufValue = number | Uint8Array

/**
 * Yields the fields of a protocol buffer with their numbers. The bytes are views of the buffer. Numbers are exact up to 2⁵³.
 *
 * @throws ASOF_MODEL_INVALID
 */
export function* protobufFields(bytes: Uint8Array): Generator<[field: number, value: ProtobufValue]> {
  const cursor = { at: 0 }
  while (cursor.at < bytes.length) {
    const tag = varint(bytes, cursor)
    const field = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0:
        yield [field, varint(bytes, cursor)]
        break
      case 1:
        yield [field, take(bytes, cursor, 8)]
        break
      case 2:
        yield [field, take(bytes, cursor, varint(bytes, cursor))]
        break
      case 5:
        yield [field, take(bytes, cursor, 4)]
        break
      default:
        throw damaged()
    }
  }
}

/** Returns the numbers of a packed field. */
export function packedNumbers(bytes: Uint8Array): number[] {
  const cursor = { at: 0 }
  const numbers: number[] = []
  while (cursor.at < bytes.length) numbers.push(varint(bytes, cursor))
  return numbers
}

function take(bytes: Uint8Array, cursor: { at: number }, count: number): Uint8Array {
  if (count > bytes.length - cursor.at) throw damaged()
  cursor.at += count
  return bytes.subarray(cursor.at - count, cursor.at)
}

function varint(bytes: Uint8Array, cursor: { at: number }): number {
  let value = 0
  for (let scale = 1; scale < 2 ** 70; scale *= 128) {
    const byte = bytes[cursor.at++]
    if (byte === undefined) break
    value += (byte & 127) * scale
    if (byte < 128) return value
  }
  throw damaged()
}

function damaged(): Error {
  return invalidModel('the ONNX file of the model is damaged')
}
