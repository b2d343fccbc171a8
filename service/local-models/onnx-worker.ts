/** A thread that runs onnxruntime: one text after the other. */
import { parentPort, workerData } from 'node:worker_threads'
import { DEFAULT_TOKENS, readModelFiles, Tokenizer } from '@asof/encoder'
import { AsofError, isAsofError, loadOptional, messageOf } from '@asof/extract/errors'
import { onnxPackages } from './onnx-packages.ts'
import type { OnnxReply, OnnxThreadData } from './onnx-thread.ts'

/** The parts of onnxruntime-node that are used. A clone does not have the package, because it takes 288 MB. */
interface OnnxRuntime {
  InferenceSession: {
    create(model: Uint8Array, options: { intraOpNumThreads: number; interOpNumThreads: number }): Promise<Session>
  }
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object
}

interface Session {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  run(feeds: Readonly<Record<string, object>>): Promise<Readonly<Record<string, { data: unknown }>>>
}

/** The compiler does not look for a package that a variable names. */
const PACKAGE: string = 'onnxruntime-node'

const { path, files, threads, pooling } = workerData as OnnxThreadData

try {
  const vectorOf = await load()
  parentPort?.on('message', (text: string) => {
    vectorOf(text).then(send, fail)
  })
  send(new Float32Array())
} catch (error) {
  fail(error)
}

/** Loads the model, and returns a function that embeds a text. */
async function load(): Promise<(text: string) => Promise<Float32Array>> {
  const { weights, config, tokenizer: file, shape } = readModelFiles(path)
  if ([weights, config, file].some(({ sha256 }, i) => sha256 !== files[i]?.sha256))
    throw new AsofError(
      'ASOF_MODEL_INVALID',
      `the files in ${path} are not those that were added. Delete the folder, and add the model again`,
    )
  const { InferenceSession, Tensor }: OnnxRuntime = await loadOptional(onnxPackages, () => import(PACKAGE))
  const tokenizer = new Tokenizer(file.bytes)
  const maxTokens = Math.min(DEFAULT_TOKENS, shape.positions)
  const session = await InferenceSession.create(weights.bytes, { intraOpNumThreads: threads, interOpNumThreads: 1 })
  const [output = ''] = session.outputNames
  return async text => {
    const { ids, types } = tokenizer.encode(text, maxTokens)
    const inputs = { input_ids: ids, attention_mask: ids.map(() => 1), token_type_ids: types }
    const feeds = Object.entries(inputs)
      .filter(([name]) => session.inputNames.includes(name))
      .map(([name, values]) => [name, new Tensor('int64', BigInt64Array.from(values, BigInt), [1, ids.length])])
    const { data } = (await session.run(Object.fromEntries(feeds)))[output] ?? {}
    if (!(data instanceof Float32Array) || data.length !== ids.length * shape.width)
      throw new AsofError('ASOF_MODEL_INVALID', 'the first output of the ONNX file is not the vectors of all tokens')
    return pooled(data, shape.width)
  }
}

/** Returns the mean of the vectors of all tokens, or the first, of length 1. */
function pooled(vectors: Float32Array, width: number): Float32Array {
  const used = pooling === 'cls' ? width : vectors.length
  const sums = new Float64Array(width)
  vectors.subarray(0, used).forEach((value, i) => {
    sums[i % width] = (sums[i % width] ?? 0) + value
  })
  const length = Math.hypot(...sums)
  if (!(length > 0 && length < Number.MAX_VALUE))
    throw new AsofError('ASOF_MODEL_FAILED', 'the weights of the model make no finite vector')
  return Float32Array.from(sums, sum => sum / length)
}

function send(vector: Float32Array): void {
  parentPort?.postMessage({ vector } satisfies OnnxReply)
}

function fail(error: unknown): void {
  const code = isAsofError(error) ? error.code : 'ASOF_MODEL_FAILED'
  parentPort?.postMessage({ failure: { code, message: messageOf(error) } } satisfies OnnxReply)
}
