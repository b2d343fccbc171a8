/** The part of WebAssembly's JavaScript interface that kernels use. Node's types lack it. */
interface WebAssemblyInterface {
  validate(module: Uint8Array): boolean
  Module: new (module: Uint8Array) => object
  Memory: new (limits: { initial: number; maximum: number }) => KernelMemory
  Instance: new (module: object, imports: Record<string, object>) => { readonly exports: unknown }
  RuntimeError: new () => Error
}

/** The memory of a kernel. It never grows, because growing would detach every view of it. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer
}

/** Undefined if the runtime has no WebAssembly. */
export const { WebAssembly } = globalThis as typeof globalThis & { WebAssembly?: WebAssemblyInterface }
