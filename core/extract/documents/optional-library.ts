import { AsofError } from '../../errors.ts'

/**
 * Loads a package that only those who need it have installed.
 *
 * @param name - name of the package.
 * @param reads - what it reads, for the error text, such as "a Word document (docx)".
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - it is not installed; `details.package` names it.
 */
export async function loadOptional<Library>(
  name: string,
  reads: string,
  load: () => Promise<Library>,
): Promise<Library> {
  try {
    return await load()
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing || !cause.message.includes(`'${name}'`)) throw cause
    throw new AsofError(
      'ASOF_EXTRACT_LIBRARY_MISSING',
      `reading ${reads} needs the package ${name}, which is not installed: npm install ${name}`,
      { cause, details: { package: name } },
    )
  }
}
