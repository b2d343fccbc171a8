import { invalidModel } from './invalid-model.ts'
import { JsonFields } from './json-fields.ts'
import type { Matrix, Table, Tensors } from './tensors.ts'

/** Largest header, bytes: the limit of the format's own reader. */
const MAX_HEADER_BYTES = 100_000_000
/** Largest size of a quantized weight. */
const LARGEST = 127
/** The byte of 0 in a table. */
const ZERO = 128

/** The types of numbers that weights have, by their names in the file. */
const numberTypes = {
  F32: { bytes: 4, read: (view: DataView, at: number) => view.getFloat32(at, true) },
  F16: { bytes: 2, read: (view: DataView, at: number) => halfOf(view.getUint16(at, true)) },
  BF16: { bytes: 2, read: (view: DataView, at: number) => wideOf(view.getUint16(at, true)) },
} as const

interface StoredTensor {
  type: (typeof numberTypes)[keyof typeof numberTypes]
  shape: readonly number[]
  from: number
}

/**
 * The tensors of a file in the format safetensors. Weights are quantized to bytes as they are read, by the largest of each output or row.
 * The names may have a prefix, such as `bert.`.
 */
export class Safetensors implements Tensors {
  readonly #tensors = new Map<string, StoredTensor>()
  readonly #view: DataView
  readonly #prefix: string

  /**
   * @param prefixes - the prefixes that names may have.
   * @param mark - a name that the file has after its prefix.
   * @throws ASOF_MODEL_INVALID
   */
  constructor(file: Uint8Array, prefixes: readonly string[], mark: string) {
    const view = new DataView(file.buffer, file.byteOffset, file.length)
    const headerBytes = file.length < 8 ? Number.NaN : Number(view.getBigUint64(0, true))
    if (!(headerBytes <= Math.min(MAX_HEADER_BYTES, file.length - 8)))
      throw invalidModel('the safetensors file is damaged')
    const header = JsonFields.parse(file.subarray(8, 8 + headerBytes), 'the header of the safetensors file')
    this.#view = new DataView(file.buffer, file.byteOffset + 8 + headerBytes, file.length - 8 - headerBytes)
    for (const [name, value] of header.entries()) {
      if (name === '__metadata__') continue
      const tensor = readTensor(new JsonFields(value, name), this.#view.byteLength)
      if (tensor) this.#tensors.set(name, tensor)
    }
    const prefix = prefixes.find(each => this.#tensors.has(each + mark))
    if (prefix === undefined) throw invalidModel(`the safetensors file has no tensor ${mark}`)
    this.#prefix = prefix
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined
  }

  floats(name: string, shape: readonly number[]): Float32Array {
    const { type, from } = this.#checked(name, shape)
    const count = shape.reduce((product, size) => product * size, 1)
    return Float32Array.from({ length: count }, (_, i) =>
      this.#finite(type.read(this.#view, from + i * type.bytes), name),
    )
  }

  matrix(name: string, outputs: number, inputs: number): Matrix {
    const rows = this.#rows(`${name}.weight`, outputs, inputs)
    return {
      read: (output, to) => {
        const { row, scale } = rows(output)
        for (let i = 0; i < inputs; i++) to[i] = Math.round(row[i]! / scale)
        return scale
      },
    }
  }

  table(name: string, count: number, width: number): Table {
    const rows = this.#rows(`${name}.weight`, count, width)
    return {
      zero: ZERO,
      read: (index, to) => {
        const { row, scale } = rows(index)
        for (let i = 0; i < width; i++) to[i] = ZERO + Math.round(row[i]! / scale)
        return scale
      },
    }
  }

  /** Returns a reader of rows with the scale that quantizes each. The row is valid until the next call. */
  #rows(name: string, count: number, width: number): (index: number) => { row: Float32Array; scale: number } {
    const { type, from } = this.#checked(name, [count, width])
    const row = new Float32Array(width)
    return index => {
      let largest = 0
      for (let i = 0; i < width; i++) {
        row[i] = this.#finite(type.read(this.#view, from + (index * width + i) * type.bytes), name)
        largest = Math.max(largest, Math.abs(row[i]!))
      }
      // The scale of a row of zeros does not matter. A scale must not be so small that quotients overflow.
      return { row, scale: Math.fround(Math.max(largest / LARGEST, 1e-30)) }
    }
  }

  #finite(value: number, name: string): number {
    if (!Number.isFinite(value)) throw invalidModel(`the tensor ${name} has a number that is not finite`)
    return value
  }

  /** A tensor of the encoder has the prefix; one of a head has none. */
  #find(name: string): StoredTensor | undefined {
    return this.#tensors.get(this.#prefix + name) ?? this.#tensors.get(name)
  }

  #checked(name: string, shape: readonly number[]): StoredTensor {
    const tensor = this.#find(name)
    if (!tensor) throw invalidModel(`the safetensors file has no tensor ${name} of numbers`)
    if (tensor.shape.length !== shape.length || tensor.shape.some((size, i) => size !== shape[i]))
      throw invalidModel(`the tensor ${name} has the shape ${tensor.shape.join('×')}, not ${shape.join('×')}`)
    return tensor
  }
}

/** Reads an entry of the header. Undefined: it has no numbers that weights can have, such as integers. */
function readTensor(entry: JsonFields, dataBytes: number): StoredTensor | undefined {
  const type = numberTypes[entry.string('dtype') as keyof typeof numberTypes] as StoredTensor['type'] | undefined
  if (!type) return undefined
  const shape = entry.list('shape')
  const offsets = entry.list('data_offsets')
  const [from, to] = offsets
  const count = shape.reduce<number>((product, size) => product * (isSize(size) ? size : Number.NaN), type.bytes)
  if (!shape.every(isSize) || !isSize(from) || !isSize(to) || to > dataBytes || to - from !== count)
    throw invalidModel('the header of the safetensors file does not fit its data')
  return { type, shape, from }
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

const wide = new DataView(new ArrayBuffer(4))

/** The number of a bfloat16: the upper half of a float. */
function wideOf(bits: number): number {
  wide.setUint32(0, bits * 65_536)
  return wide.getFloat32(0)
}

/** The number of a half-precision float. */
function halfOf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25))
}
