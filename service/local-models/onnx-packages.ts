import type { OptionalPackages } from '@asof/extract/errors'

export const onnxPackages: OptionalPackages = {
  feature: 'A model of onnx:',
  // Without the flag npm runs its script, which may download libraries for graphics cards. asof does not use them.
  install: ['--ignore-scripts', 'onnxruntime-node@1'],
}
