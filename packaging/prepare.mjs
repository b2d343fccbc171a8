/**
 * Builds the console after `npm ci` in a clone. Without development dependencies (`--omit=dev`) there is nothing to build it with: the
 * server then says at `/` how to build it. Plain JavaScript, because npm may run this with a Node that reads no TypeScript.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
if (existsSync(join(root, 'node_modules/vite/package.json'))) {
  const { build } = await import('vite')
  await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' })
}
