import { expect, it } from 'vitest'
import { loadOptional } from '../../../extract/errors/optional-packages.ts'

const sonnets = { feature: 'Reading sonnets', install: ['asof-no-such-package@3', 'x@1'] }

it('names a package that is not installed and prints the command that installs all of the feature', async () => {
  const name = 'asof-no-such-package'
  const loading = loadOptional(sonnets, () => import(name))
  await expect(loading).rejects.toMatchObject({
    code: 'ASOF_PACKAGE_MISSING',
    message:
      'Reading sonnets needs the package asof-no-such-package, which is not installed. Run: npm install asof-no-such-package@3 x@1',
    details: { package: name },
  })
})

it('recognizes a missing package by a path inside it', async () => {
  const path = 'asof-no-such-package/inner'
  const loading = loadOptional(sonnets, () => import(path), 'ASOF_EXTRACT_LIBRARY_MISSING')
  await expect(loading).rejects.toMatchObject({ code: 'ASOF_EXTRACT_LIBRARY_MISSING' })
})

it('passes on every other failure of a package', async () => {
  const broken = loadOptional(sonnets, () => Promise.reject(new RangeError('broken')))
  await expect(broken).rejects.toThrow(RangeError)
  const missingInside = loadOptional(sonnets, () => import('asof-inner-package' as string))
  await expect(missingInside).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
})
