import { JsonFields } from '../../encoder/files/json-fields.ts'
import { Safetensors } from '../../encoder/files/safetensors.ts'
import type { Tensors } from '../../encoder/files/tensors.ts'
import { readShape } from '../../encoder/forward/encoder-shape.ts'
import { Fixture } from './fixture.ts'
import { onnxFile } from './onnx-file.ts'

/** The fixture `bert` as an ONNX file of onnxruntime's dynamic quantization: the same weights. */
export function bertAsOnnx(): Buffer {
  const fixture = new Fixture('bert')
  const { width, innerWidth, vocabulary, positions, layers } = readShape(
    JsonFields.parse(fixture.read('config.json'), ''),
  )
  const source: Tensors = new Safetensors(fixture.read('model.safetensors'), [''], 'embeddings.word_embeddings.weight')
  const nodes: Parameters<typeof onnxFile>[0][number][] = []
  const tensors: Parameters<typeof onnxFile>[1][number][] = []
  const floats = (name: string, shape: number[], numbers: Float32Array): void => {
    tensors.push({ name, dims: shape, type: 1, data: new Uint8Array(numbers.slice().buffer) })
  }
  const copy = (name: string, shape: number[]): void => floats(name, shape, source.floats(name, shape))
  const norm = (name: string): void => {
    for (const part of ['weight', 'bias']) copy(`${name}.${part}`, [width])
  }
  const table = (name: string, rows: number): void => {
    const { read, zero } = source.table(name, rows, width)
    const data = new Uint8Array(rows * width)
    let scale = 0
    for (let row = 0; row < rows; row++) scale = read(row, data.subarray(row * width, (row + 1) * width))
    tensors.push({ name: `${name}.weight_quantized`, dims: [rows, width], type: 2, data })
    tensors.push({ name: `${name}.weight_zero_point`, dims: [], type: 2, data: Uint8Array.of(zero) })
    floats(`${name}.weight_scale`, [], Float32Array.of(scale))
  }
  const product = (name: string, outputs: number, inputs: number): void => {
    const { read } = source.matrix(name, outputs, inputs)
    const column = new Int8Array(inputs)
    const data = new Int8Array(inputs * outputs)
    const scales = new Float32Array(outputs)
    for (let o = 0; o < outputs; o++) {
      scales[o] = read(o, column)
      for (let i = 0; i < inputs; i++) data[i * outputs + o] = column[i]!
    }
    const weights = `onnx::MatMul_${nodes.length}`
    tensors.push({ name: `${weights}_quantized`, dims: [inputs, outputs], type: 3, data: new Uint8Array(data.buffer) })
    tensors.push({ name: `${weights}_zero_point`, dims: [outputs], type: 3, data: new Uint8Array(outputs) })
    floats(`${weights}_scale`, [outputs], scales)
    const node = `/${name.replace(/[.](?!\d)/g, '/')}/MatMul_quant`
    nodes.push({ name: node, operation: 'MatMulInteger', inputs: [`${node}_input`, `${weights}_quantized`] })
    copy(`${name}.bias`, [outputs])
  }
  table('embeddings.word_embeddings', vocabulary)
  table('embeddings.position_embeddings', positions)
  table('embeddings.token_type_embeddings', 2)
  norm('embeddings.LayerNorm')
  for (let layer = 0; layer < layers; layer++) {
    const name = `encoder.layer.${layer}`
    for (const part of ['query', 'key', 'value']) product(`${name}.attention.self.${part}`, width, width)
    product(`${name}.attention.output.dense`, width, width)
    norm(`${name}.attention.output.LayerNorm`)
    product(`${name}.intermediate.dense`, innerWidth, width)
    product(`${name}.output.dense`, width, innerWidth)
    norm(`${name}.output.LayerNorm`)
  }
  return onnxFile(nodes, tensors)
}
