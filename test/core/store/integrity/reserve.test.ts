import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Reserve } from '../../../../core/store/integrity/reserve.ts'

const MIB = 1024 * 1024
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'asof-reserve-'))
})
afterEach(() => rm(dir, { recursive: true }))
const size = async () => (await stat(join(dir, 'reserve.tmp')).catch(() => undefined))?.size

describe('Reserve', () => {
  it('takes at least as much space as requested, in whole MiB', async () => {
    const reserve = await Reserve.of(dir)
    expect([reserve.bytes, await size()]).toEqual([0, undefined])
    await reserve.hold(MIB + 1)
    await reserve.hold(1)
    expect([reserve.bytes, await size()]).toEqual([2 * MIB, 2 * MIB])
  })
  it('is found again by the next process', async () => {
    await (await Reserve.of(dir)).hold(1)
    expect((await Reserve.of(dir)).bytes).toBe(MIB)
  })
  it('shrinks to exactly the requested size, also to nothing, and grows again', async () => {
    const reserve = await Reserve.of(dir)
    await reserve.hold(5 * MIB)
    await reserve.shrink(2 * MIB - 1)
    expect([reserve.bytes, await size()]).toEqual([2 * MIB - 1, 2 * MIB - 1])
    await reserve.shrink(3 * MIB)
    expect(reserve.bytes).toBe(2 * MIB - 1)
    await reserve.shrink(0)
    expect([reserve.bytes, await size()]).toEqual([0, 0])
    await reserve.holdWhatFits(MIB)
    expect([reserve.bytes, await size()]).toEqual([MIB, MIB])
  })
})
