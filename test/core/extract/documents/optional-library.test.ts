import { expect, it } from 'vitest'
import { loadOptional } from '../../../../core/extract/documents/optional-library.ts'

it('names the missing package and the command that installs it', async () => {
  const name = 'asof-no-such-package'
  const loading = loadOptional(name, 'a sonnet', () => import(name))
  await expect(loading).rejects.toMatchObject({
    code: 'ASOF_EXTRACT_LIBRARY_MISSING',
    message:
      'reading a sonnet needs the package asof-no-such-package, which is not installed: npm install asof-no-such-package',
    details: { package: name },
  })
})

it('a package that fails by itself fails as it does', async () => {
  const broken = loadOptional('x', 'a sonnet', () => Promise.reject(new RangeError('broken')))
  await expect(broken).rejects.toThrow(RangeError)
  const missingInside = loadOptional('x', 'a sonnet', () => import('asof-inner-package' as string))
  await expect(missingInside).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
})
