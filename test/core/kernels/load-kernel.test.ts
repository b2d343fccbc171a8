import { expect, it } from 'vitest'
import { base64, leastPages } from '../../../core/kernels/group-sorter.generated.ts'
import { instantiateKernel } from '../../../core/kernels/load-kernel.ts'

it('a kernel that WebAssembly does not accept, or that gets no memory, is none', () => {
  expect(instantiateKernel(base64, leastPages)?.memory.byteLength).toBe(leastPages * 65_536)
  expect(instantiateKernel(Buffer.from('another format').toString('base64'), leastPages)).toBeUndefined()
  expect(instantiateKernel(base64, 70_000)).toBeUndefined()
})
