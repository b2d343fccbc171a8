import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { Fixture, type FixtureName } from '../../encoder/fixture.ts'

/** Folders of a test, made anew for each. */
export interface ModelFolders {
  /** Has the models. */
  folder: string
  /** Copies the files of a tiny model with random weights. @returns their folder. */
  copyOf(fixture: FixtureName, name?: string): string
}

export function useModelFolders(): ModelFolders {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'asof-models-'))
  })
  afterEach(() => rmSync(root, { recursive: true }))
  return {
    get folder() {
      return join(root, 'models')
    },
    copyOf(fixture, name: string = fixture) {
      const copy = join(root, name)
      cpSync(new Fixture(fixture).folder, copy, { recursive: true })
      return copy
    },
  }
}
