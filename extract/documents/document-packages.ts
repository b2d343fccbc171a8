import { loadOptional, type OptionalPackages } from '../errors/optional-packages.ts'

export const documentPackages: OptionalPackages = {
  feature: 'Reading PDF, EPUB and Office documents',
  install: ['unpdf@1', 'fflate@0.8', 'mammoth@1'],
}

/**
 * Loads a package for documents.
 *
 * @throws ASOF_EXTRACT_LIBRARY_MISSING - the package is not installed; `details.package` names it.
 */
export function loadDocumentPackage<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  return loadOptional(documentPackages, load, 'ASOF_EXTRACT_LIBRARY_MISSING')
}
