import { WebAssembly } from '../bytes/web-assembly.ts'

/** The functions that a kernel imports. */
export type KernelImports = Record<string, (...args: number[]) => unknown>

/** Compiles a module from a generated file; returns undefined where WebAssembly is missing or has no SIMD. */
export function compileKernel(base64: string): object | undefined {
  const module = Buffer.from(base64, 'base64')
  return WebAssembly?.validate(module) ? new WebAssembly.Module(module) : undefined
}

/**
 * Instantiates a kernel that imports no functions.
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
