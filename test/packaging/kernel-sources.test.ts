import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kernelSources as coreKernels } from '../../core/kernels/generate-kernels.ts'
import { kernelSources as vectorKernels } from '../../core/vectors/generate-kernels.ts'
import { kernelSources as encoderKernels } from '../../encoder/kernel/generate-kernels.ts'
import { compiler, hasCompiler, type KernelSources } from '../../packaging/kernel-sources.ts'

const kernels = [coreKernels, vectorKernels, encoderKernels].flatMap(sources =>
  sources.names().map((name): [string, KernelSources] => [name, sources]),
)

describe('the generated kernels', () => {
  it.each(kernels)('%s is generated from its source as it is now', async (name, sources) => {
    const generated = (await import(sources.generatedFile(name))) as Record<
      'sourceHash' | 'moduleHash' | 'base64',
      string
    >
    expect(generated.sourceHash).toBe(sources.sourceHash(name))
    const hash = createHash('sha256').update(Buffer.from(generated.base64, 'base64')).digest('hex')
    expect(generated.moduleHash).toBe(hash)
  })

  describe.skipIf(!hasCompiler())(`where ${compiler} is installed`, () => {
    it.each(kernels)('%s is compiled to the same module again', (name, sources) => {
      expect(readFileSync(sources.generatedFile(name), 'utf8')).toBe(sources.generated(name))
    })

    it.each([
      ['a memory of its own', coreKernels],
      ['a memory that threads share', encoderKernels],
    ])('compiles with SIMD, %s and warnings as errors', (_, sources) => {
      const folder = mkdtempSync(join(tmpdir(), 'asof-test-'))
      const compile = (text: string) => {
        const source = join(folder, 'source.c')
        writeFileSync(source, text)
        return sources.compile(source)
      }
      try {
        const simd = compile(`#include <wasm_simd128.h>
__attribute__((export_name("equal"))) unsigned equal(const unsigned char *a, const unsigned char *b) {
  return wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(a), wasm_v128_load(b)));
}
`)
        expect(simd.toString('latin1')).toContain('memory')
        expect(simd.subarray(0, 4).toString('latin1')).toBe('\0asm')
        expect(() => compile('void f(void) { int unused; }')).toThrow()
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  })
})
