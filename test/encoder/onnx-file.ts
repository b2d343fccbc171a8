/** Writes the part of an ONNX file that a quantized encoder has. */

interface OnnxTensorInput {
  name: string
  dims: number[]
  /** 1: float, 2: unsigned bytes, 3: signed bytes. */
  type: number
  data: Uint8Array
}

interface OnnxNodeInput {
  name: string
  operation: string
  inputs: string[]
}

export function onnxFile(nodes: readonly OnnxNodeInput[], tensors: readonly OnnxTensorInput[]): Buffer {
  const graph = [
    ...nodes.map(({ name, operation, inputs }) =>
      field(
        1,
        Buffer.concat([...inputs.map(input => field(1, text(input))), field(3, text(name)), field(4, text(operation))]),
      ),
    ),
    ...tensors.map(({ name, dims, type, data }) =>
      field(
        5,
        Buffer.concat([...dims.map(dim => number(1, dim)), number(2, type), field(8, text(name)), field(9, data)]),
      ),
    ),
  ]
  return Buffer.concat([number(1, 6), field(7, Buffer.concat(graph))])
}

function text(value: string): Buffer {
  return Buffer.from(value)
}

function varint(value: number): Buffer {
  const bytes = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

function number(id: number, value: number): Buffer {
  return Buffer.concat([varint(id * 8), varint(value)])
}

function field(id: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint(id * 8 + 2), varint(content.length), content])
}
