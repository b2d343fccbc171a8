import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { CompiledApi, identity } from './compiled-api.ts'

/** Declarations as the compiler writes them. */
const files = {
  'entries/all.d.ts': "/** Everything. */\nexport * from '@asof/core';\n",
  'entries/some.d.ts':
    "export { type Bag, bagOf, Chest, overloaded } from '../room/index.ts';\nexport type { Chest as Coffer } from '../room/index.ts';\n",
  'room/index.d.ts': "export { type Bag, bagOf, overloaded } from './bag.ts';\nexport { Chest } from './chest.ts';\n",
  'room/bag.d.ts': `import type { Stats } from '@asof/core';
import type { Server } from 'node:http';
/** Not exported. */
interface Strap {
    /** In cm. */
    length: number;
}
export interface Bag {
    /** How it is worn. */
    strap: Strap;
    server: Server;
    lid: import("./chest.ts").Lid;
}
/** Packs. @throws Error */
export declare function bagOf<Item>(items: Item[], name: 'Strap'): Stats;
/** Twice. */
export declare function overloaded(a: string): void;
export declare function overloaded(a: number): void;
`,
  'room/chest.d.ts': `/** A lid. */
export interface Lid {
}
/** A key. */
export interface Key {
}
/** A chest. */
export declare class Chest {
    #private;
    private lock;
    private constructor();
    constructor(parts: {
        key: Key;
    });
    static open(key: Key): Chest;
    /** Shuts it. */
    shut(): Lid;
}
`,
  'core/index.d.ts': "export { type Stats } from './stats.ts';\n",
  'core/stats.d.ts': '/** Counts. */\nexport interface Stats {\n}\n',
}

const made: string[] = []
function compiled(): CompiledApi {
  const folder = mkdtempSync(join(tmpdir(), 'asof-compiled-'))
  made.push(folder)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return new CompiledApi(folder)
}
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Returns a declaration that an entry exports. */
function exportedBy(entry: string, name: string) {
  const api = compiled()
  const found = api.exportsOf(entry).find(declared => declared.name === name)
  if (!found) throw new Error(`${name} is not exported`)
  return { ...found, types: api.typesIn(found) }
}

describe('what an entry exports', () => {
  it('is found through other entries and packages, sorted by name', () => {
    const api = compiled()
    expect(api.exportsOf('entries/some.ts').map(identity)).toEqual([
      'Bag of room/bag.ts',
      'Chest of room/chest.ts',
      'Chest of room/chest.ts',
      'bagOf of room/bag.ts',
      'overloaded of room/bag.ts',
    ])
    expect(api.exportsOf('entries/all.ts').map(identity)).toEqual(['Stats of core/stats.ts'])
  })

  it('is listed without comments', () => {
    expect(exportedBy('entries/some.ts', 'bagOf').text).toBe(
      "function bagOf<Item>(items: Item[], name: 'Strap'): Stats;",
    )
    expect(exportedBy('entries/some.ts', 'overloaded').text).toBe(
      'function overloaded(a: string): void;\nfunction overloaded(a: number): void;',
    )
    expect(exportedBy('entries/all.ts', 'Stats').text).toBe('interface Stats {\n}')
  })

  it('has the comment before the declaration, and none of a member or of another declaration', () => {
    expect(exportedBy('entries/some.ts', 'Bag').comment).toBe('')
    expect(exportedBy('entries/some.ts', 'bagOf').comment).toBe('/** Packs. @throws Error */')
    expect(exportedBy('entries/some.ts', 'overloaded').comment).toBe('/** Twice. */')
    expect(exportedBy('entries/all.ts', 'Stats').comment).toBe('/** Counts. */')
  })

  it('names types of its file, of imports and of other packages of asof, but no type parameter and no text', () => {
    expect(exportedBy('entries/some.ts', 'Bag').types.sort()).toEqual(['Lid of room/chest.ts', 'Strap of room/bag.ts'])
    expect(exportedBy('entries/some.ts', 'bagOf').types).toEqual(['Stats of core/stats.ts'])
  })

  it('has the members of a class that a caller sees, and no constructor if the class is exported as a type', () => {
    const { text, types } = exportedBy('entries/some.ts', 'Chest')
    expect(text).toContain('constructor(parts: {\n        key: Key;\n    });\n    static open')
    expect(text).not.toMatch(/private|#|Shuts/)
    expect(types.sort()).toEqual(['Key of room/chest.ts', 'Lid of room/chest.ts'])
    const [, asType] = compiled()
      .exportsOf('entries/some.ts')
      .filter(({ file }) => file === 'room/chest.d.ts')
    expect(asType?.text).toBe('class Chest {\n    shut(): Lid;\n}')
  })
})
