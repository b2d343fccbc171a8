import { loadOptional, type OptionalPackages } from '@asof/core/internal'

export const modelPackages: OptionalPackages = { feature: 'Asking a model', install: ['openai@7'] }

/**
 * Checks that models can be asked, without loading anything, so that a server does not find out at its first request.
 *
 * @throws ASOF_PACKAGE_MISSING - openai is not installed.
 */
export async function expectModelPackages(): Promise<void> {
  await loadOptional(modelPackages, async () => import.meta.resolve('openai'))
}
