import { invalidModel } from './invalid-model.ts'
import { type ProtobufValue, packedNumbers, protobufFields } from './protobuf.ts'
import type { Matrix, Table, Tensors } from './tensors.ts'

/** Fields of the messages of ONNX (onnx.proto). */
const MODEL_GRAPH = 7
const GRAPH_NODE = 1
const GRAPH_TENSOR = 5
const node = { input: 1, name: 3, operation: 4 } as const
const tensor = { dims: 1, type: 2, floats: 4, integers: 5, name: 8, raw: 9 } as const

/** The types of numbers, with their bytes. */
const FLOAT = 1
const UINT8 = 2
const INT8 = 3
const typeBytes = new Map([
  [FLOAT, 4],
  [UINT8, 1],
  [INT8, 1],
])

interface OnnxTensor {
  dims: readonly number[]
  type: number
  bytes: Uint8Array
}

/**
 * The tensors of an ONNX file that was quantized dynamically by onnxruntime: each product is a node `MatMulInteger` whose name is that of
 * its layer. Names are those of PyTorch, as in {@link Tensors}.
 */
export class OnnxTensors implements Tensors {
  readonly #tensors = new Map<string, OnnxTensor>()
  /** The name of the weights of each product, by the name of its node. */
  readonly #products = new Map<string, string>()

  /** @throws ASOF_MODEL_INVALID */
  constructor(file: Uint8Array) {
    for (const [field, graph] of protobufFields(file)) {
      if (field !== MODEL_GRAPH || typeof graph === 'number') continue
      for (const [part, bytes] of protobufFields(graph)) {
        if (typeof bytes === 'number') continue
        if (part === GRAPH_NODE) this.#addNode(bytes)
        if (part === GRAPH_TENSOR) this.#addTensor(bytes)
      }
    }
  }

  has(name: string): boolean {
    return this.#tensors.has(name) || this.#products.has(productName(name))
  }

  floats(name: string, shape: readonly number[]): Float32Array {
    return finite(floatsOf(this.#checked(name, FLOAT, shape)), name)
  }

  matrix(name: string, outputs: number, inputs: number): Matrix {
    const weights = this.#products.get(productName(name))
    if (weights === undefined) throw invalidModel(`the ONNX file has no product ${name}`)
    const { bytes } = this.#checked(weights, INT8, [inputs, outputs])
    const stem = weights.replace(/_quantized$/, '')
    const scales = this.floats(`${stem}_scale`, [outputs])
    if (this.#checked(`${stem}_zero_point`, INT8, [outputs]).bytes.some(zero => zero !== 0))
      throw invalidModel(`the weights ${weights} have a zero point other than 0`)
    return {
      read: (output, to) => {
        // Bytes are signed; −128 has no opposite, and is read as −127.
        for (let i = 0; i < inputs; i++) to[i] = Math.max(-127, (bytes[i * outputs + output]! << 24) >> 24)
        return scales[output]!
      },
    }
  }

  table(name: string, rows: number, width: number): Table {
    const { bytes } = this.#checked(`${name}.weight_quantized`, UINT8, [rows, width])
    const [scale = 0] = this.floats(`${name}.weight_scale`, [])
    const [zero = 0] = this.#checked(`${name}.weight_zero_point`, UINT8, []).bytes
    return {
      zero,
      read: (row, to) => {
        to.set(bytes.subarray(row * width, (row + 1) * width))
        return scale
      },
    }
  }

  #addNode(bytes: Uint8Array): void {
    const inputs: string[] = []
    let name = ''
    let operation = ''
    for (const [field, value] of protobufFields(bytes)) {
      if (typeof value === 'number') continue
      if (field === node.input) inputs.push(textOf(value))
      if (field === node.name) name = textOf(value)
      if (field === node.operation) operation = textOf(value)
    }
    const [, weights] = inputs
    if (operation === 'MatMulInteger' && weights !== undefined) this.#products.set(name, weights)
  }

  #addTensor(bytes: Uint8Array): void {
    const dims: number[] = []
    let name = ''
    let type = 0
    let content: Uint8Array = new Uint8Array()
    for (const [field, value] of protobufFields(bytes)) {
      if (field === tensor.dims) for (const dim of numbersOf(value)) dims.push(dim)
      if (field === tensor.type && typeof value === 'number') type = value
      if (field === tensor.integers) content = Uint8Array.from(numbersOf(value))
      if (typeof value === 'number') continue
      if (field === tensor.name) name = textOf(value)
      if (field === tensor.raw || field === tensor.floats) content = value
    }
    const size = dims.reduce((product, dim) => product * dim, typeBytes.get(type) ?? Number.NaN)
    // Tensors of other types, such as the shapes of results, are not needed.
    if (size === content.length) this.#tensors.set(name, { dims, type, bytes: content })
  }

  #checked(name: string, type: number, shape: readonly number[]): OnnxTensor {
    const found = this.#tensors.get(name)
    if (!found || found.type !== type) throw invalidModel(`the ONNX file has no tensor ${name} of the expected type`)
    if (found.dims.length !== shape.length || found.dims.some((size, i) => size !== shape[i]))
      throw invalidModel(`the tensor ${name} has the shape ${found.dims.join('×')}, not ${shape.join('×')}`)
    return found
  }
}

/** The node of a linear layer: `encoder.layer.0.output.dense` is `/encoder/layer.0/output/dense/MatMul_quant`. */
function productName(name: string): string {
  return `/${name.replace(/[.](?!\d)/g, '/')}/MatMul_quant`
}

/** The numbers of a repeated field, which may be packed or one by one. */
function numbersOf(value: ProtobufValue): readonly number[] {
  return typeof value === 'number' ? [value] : packedNumbers(value)
}

function floatsOf({ bytes }: OnnxTensor): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true))
}

function finite(numbers: Float32Array, name: string): Float32Array {
  if (!numbers.every(Number.isFinite)) throw invalidModel(`the tensor ${name} has a number that is not finite`)
  return numbers
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
