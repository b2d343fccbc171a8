import { AsofError } from './errors.ts'
import { isError } from './thrown.ts'

/** Packages for one feature. Only users of the feature install them. */
export interface OptionalPackages {
  /** The feature, as the subject of a sentence, such as `Reading PDF documents`. */
  feature: string
  /** The arguments of `npm install`: the name and version of each package, such as `unpdf@1`. */
  install: readonly string[]
}

/**
 * Loads packages that may not be installed.
 *
 * @param load - imports the packages. It is called at once.
 * @param code - the code of the error. Default: `ASOF_PACKAGE_MISSING`.
 * @throws ASOF_PACKAGE_MISSING - a package is not installed. The message ends with the command that installs all of
 *   them; `details.package` names the missing one.
 */
export async function loadOptional<Loaded>(
  { feature, install }: OptionalPackages,
  load: () => Promise<Loaded>,
  code: 'ASOF_PACKAGE_MISSING' | 'ASOF_EXTRACT_LIBRARY_MISSING' = 'ASOF_PACKAGE_MISSING',
): Promise<Loaded> {
  try {
    return await load()
  } catch (cause) {
    const missing = missingPackage(cause)
    if (missing === undefined || !install.some(one => one.startsWith(`${missing}@`))) throw cause
    throw new AsofError(
      code,
      `${feature} needs the package ${missing}, which is not installed. Run: npm install ${install.join(' ')}`,
      { cause, details: { package: missing } },
    )
  }
}

/** Returns the name of the package that Node did not find. Undefined for any other error. */
function missingPackage(error: unknown): string | undefined {
  if (!isError(error) || !('code' in error) || error.code !== 'ERR_MODULE_NOT_FOUND') return undefined
  return /^Cannot find package '([^']+)'/.exec(error.message)?.[1]
}
