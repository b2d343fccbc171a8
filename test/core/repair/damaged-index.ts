import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { expect } from 'vitest'
import { examine, type RepairReport, repair } from '../../../core/index.ts'
import { Stream } from '../../../core/segment/streams.ts'
import { chunkKey } from '../../../core/store/keys.ts'
import { answersOf, copied, type Event, eventsLeft, play, undated } from './written-history.ts'

/** Copies an index and damages the copy with `harm`. @returns the copy. */
export async function damaged(
  root: string,
  from: string,
  harm: (dir: string, index: string) => Promise<void>,
): Promise<string> {
  const dir = await copied(from, path.join(root, `damaged-${Math.random()}`))
  await harm(dir, path.join(dir, 'index'))
  return dir
}

/** Returns the names of the tables of an index, oldest first. */
export async function tables(index: string): Promise<string[]> {
  return (await readdir(index)).filter(name => name.endsWith('.ldb')).sort()
}

export async function withoutTermIndexes(database: ClassicLevel<Uint8Array, Uint8Array>): Promise<void> {
  for (let segment = 1; segment < 200; segment++) await database.del(chunkKey(segment, Stream.index, 0))
}

export async function flip(file: string, at: number): Promise<void> {
  const bytes = await readFile(file)
  bytes[at]! ^= 0x40
  await writeFile(file, bytes)
}

/** Repairs an index, and checks that it answers like a new index of the events that survived. */
export async function repairedLike(dir: string, all: readonly Event[]): Promise<RepairReport & { left: number }> {
  expect((await examine(dir)).sound).toBe(false)
  const report = await repair(dir)
  expect(await examine(dir)).toMatchObject({ sound: true, captures: report.captures, urls: report.urls })
  const left = await eventsLeft(dir, all, report.lost)
  const fresh = path.join(dir, 'fresh')
  await play(fresh, left)
  // An alias may survive without the capture that declared it, so aliases of lost captures are not compared.
  const asked = all.map(event => (left.includes(event) ? event : { ...event, alias: undefined })) as Event[]
  const found = [await answersOf(dir, asked), await answersOf(fresh, asked)]
  const [repaired, expected] = report.datesLost > 0 ? found.map(undated) : found
  expect(repaired).toEqual(expected)
  return { ...report, left: left.filter(({ kind }) => kind === 'add').length }
}
