import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { oldNodeMessage } from '../../extract/node-version.ts'

it.each(['12.22.0', '20.20.2', '22.18.9'])('rejects Node %s', version => {
  expect(oldNodeMessage(version)).toContain(`this is Node.js ${version}`)
})

it.each(['22.19.0', '23.0.0', '24.21.0', '100.0.0'])('accepts Node %s', version => {
  expect(oldNodeMessage(version)).toBeUndefined()
})

it('requires the version of package.json', async () => {
  const text = await readFile(path.resolve(import.meta.dirname, '../../package.json'), 'utf8')
  const [, oldest] = /^>=([\d.]+)$/.exec(JSON.parse(text).engines.node) ?? []
  expect(oldNodeMessage('1.0.0')).toContain(`Node.js ${oldest} or newer`)
  expect(oldNodeMessage(`${oldest}.0`)).toBeUndefined()
})
