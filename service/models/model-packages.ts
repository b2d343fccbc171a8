import { loadOptional, type OptionalPackages } from '@asof/extract/errors'

export const modelPackages: OptionalPackages = { feature: 'Asking a model', install: ['openai@7'] }

/**
 * Checks that the packages for models are installed, without importing them, so that a server fails at its start
 * instead of its first request.
 *
 * @throws ASOF_PACKAGE_MISSING - openai is not installed.
 */
export async function expectModelPackages(): Promise<void> {
  await loadOptional(modelPackages, async () => import.meta.resolve('openai'))
}
