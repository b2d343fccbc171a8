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

/** Undefined where there is none. */
export const { WebAssembly } = globalThis as typeof globalThis & { WebAssembly?: WebAssemblyInterface }

/** What a kernel may call. */
export type KernelImports = Record<string, (...args: number[]) => unknown>

/** Compiles a module from a generated file; returns undefined where WebAssembly is missing or has no SIMD. */
export function compileKernel(base64: string): object | undefined {
  const module = Buffer.from(base64, 'base64')
  return WebAssembly?.validate(module) ? new WebAssembly.Module(module) : undefined
}

/**
 * Instantiates a kernel that calls nothing.
 *
 * @param module - the base64 string of a generated file, or the result of {@link compileKernel}.
 * @param pages - size of its memory in pages of 64 KiB.
 * @returns undefined where WebAssembly is missing, has no SIMD, or gets no address space for the memory.
 */
export function instantiateKernel(
  module: string | object | undefined,
  pages: number,
): { exports: unknown; memory: ArrayBuffer } | undefined {
  const compiled = typeof module === 'string' ? compileKernel(module) : module
  if (!WebAssembly || !compiled) return undefined
  try {
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory } })
    return { exports, memory: memory.buffer }
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
