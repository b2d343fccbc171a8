/** The part of WebAssembly's JavaScript interface that kernels use. Node's types lack it. */
interface WebAssemblyInterface {
  validate(module: Uint8Array): boolean
  Module: new (module: Uint8Array) => object
  Memory: {
    new (limits: { initial: number; maximum: number; shared: true }): SharedKernelMemory
    new (limits: { initial: number; maximum: number; shared: boolean }): KernelMemory
    new (limits: { initial: number; maximum: number }): { readonly buffer: ArrayBuffer }
  }
  Table: new (limits: { initial: number; element: 'anyfunc' }) => object
  Global: new (type: { value: 'i32'; mutable: boolean }, value: number) => object
  Instance: new (module: object, imports: Record<string, object>) => { readonly exports: unknown }
  RuntimeError: new () => Error
}

/** The memory of a kernel. Its size is fixed, because growing it would detach every view. A shared memory can be sent to other threads. */
export interface KernelMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer
}

/** The memory of kernels of several threads. A message to a thread shares it. It never grows either. */
export interface SharedKernelMemory {
  readonly buffer: SharedArrayBuffer
}

/** Undefined if the runtime has no WebAssembly. */
export const { WebAssembly } = globalThis as typeof globalThis & { WebAssembly?: WebAssemblyInterface }
