import { AsofError } from '@asof/extract/errors'
import { base64 } from './forward.generated.ts'

/** The exports of `forward.c`, which says what they do. Addresses are in bytes. */
export interface ForwardKernel {
  embed(
    ids: number,
    typeIds: number,
    count: number,
    width: number,
    words: number,
    scales: number,
    zero: number,
    positions: number,
    types: number,
    out: number,
  ): void
  layerNorm(x: number, count: number, width: number, gain: number, bias: number, epsilon: number, out: number): void
  quantize(x: number, count: number, width: number, limit: number, out: number, scales: number): void
  dense(
    a: number,
    rowScales: number,
    count: number,
    inputs: number,
    weights: number,
    scales: number,
    bias: number,
    outputs: number,
    panel: number,
    out: number,
    mode: number,
  ): void
  rotate(
    x: number,
    count: number,
    stride: number,
    heads: number,
    headWidth: number,
    cosines: number,
    sines: number,
  ): void
  attend(
    qkv: number,
    count: number,
    heads: number,
    headWidth: number,
    window: number,
    limit: number,
    scale: number,
    scratch: number,
    out: number,
  ): void
  gatedGelu(x: number, count: number, width: number, out: number): void
  geluAll(x: number, count: number): void
  tanhAll(x: number, count: number): void
}

/** A memory that the threads of an encoder share. It never grows. A message to a worker shares it. */
export interface SharedMemory {
  readonly buffer: SharedArrayBuffer
}

/** The part of WebAssembly's JavaScript interface that is needed here. Node's types lack it. */
interface SharedWebAssembly {
  Module: new (module: Uint8Array) => object
  Memory: new (limits: { initial: number; maximum: number; shared: true }) => SharedMemory
  Instance: new (module: object, imports: { env: { memory: SharedMemory } }) => { readonly exports: unknown }
}

const { WebAssembly } = globalThis as typeof globalThis & { WebAssembly?: SharedWebAssembly }

const PAGE_BYTES = 65_536
/** The largest memory, bytes. Addresses have 32 bits, and JavaScript's views of a memory fewer. */
export const MAX_MEMORY_BYTES = 2 ** 32 - PAGE_BYTES

/**
 * @throws RangeError - the process gets no address space for it.
 * @throws ASOF_UNSUPPORTED
 */
export function createSharedMemory(bytes: number): SharedMemory {
  const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES))
  return new (supported().Memory)({ initial: pages, maximum: pages, shared: true })
}

export function instantiateForwardKernel(memory: SharedMemory): ForwardKernel {
  const { Instance, Module } = supported()
  const { exports } = new Instance(new Module(Buffer.from(base64, 'base64')), { env: { memory } })
  return exports as ForwardKernel
}

function supported(): SharedWebAssembly {
  if (WebAssembly) return WebAssembly
  throw new AsofError('ASOF_UNSUPPORTED', 'the encoder needs WebAssembly, which this process has turned off')
}
