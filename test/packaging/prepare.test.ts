import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'asof prepare-'))
  mkdirSync(join(folder, 'packaging'))
  cpSync('packaging/prepare.mjs', join(folder, 'packaging/prepare.mjs'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function prepare() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'packaging/prepare.mjs')], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function installVite(source: string): void {
  mkdirSync(join(folder, 'node_modules/vite'), { recursive: true })
  writeFileSync(join(folder, 'node_modules/vite/package.json'), '{ "type": "module", "main": "index.js" }')
  writeFileSync(join(folder, 'node_modules/vite/index.js'), source)
}

it.each(["throw new Error('too old')", "export const build = () => Promise.reject(new Error('too old'))"])(
  'an installation does not fail with the build of the console: %s',
  source => {
    installVite(source)
    expect(prepare()).toEqual({ status: 0, stdout: '', stderr: 'the console was not built: too old\n' })
  },
)

it('an installation builds the console from its folder, if there is something to build it with', () => {
  expect(prepare()).toEqual({ status: 0, stdout: '', stderr: '' })
  installVite('export const build = ({ configFile }) => console.log(configFile)')
  expect(prepare()).toEqual({ status: 0, stdout: `${join(folder, 'console/vite.config.ts')}\n`, stderr: '' })
})
