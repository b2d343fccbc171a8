import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { workerFile } from '../../../extract/processes/worker-file.ts'

describe('workerFile', () => {
  it('finds a file beside a module, with the extension of the module', () => {
    const name = 'worker-file.test'
    expect(workerFile(name, import.meta.url).href).toBe(import.meta.url)
  })

  it.each([
    ['in a bundle elsewhere', pathToFileURL('/app/bundle.js').href, '/app/search-worker.js'],
    ['in a CommonJS bundle, which does not know its URL', undefined, 'search-worker.js'],
  ])('explains a missing file %s', (_, moduleUrl, path) => {
    const explained = new RegExp(`${path} .*external packages \\(.*docs/embedding\\.md\\)$`)
    const failure = expect.objectContaining({ code: 'ASOF_WORKER_FAILED', message: expect.stringMatching(explained) })
    expect(() => workerFile('search-worker', moduleUrl)).toThrow(failure)
  })
})
