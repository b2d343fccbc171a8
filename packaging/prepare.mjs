/**
 * Builds the console after `npm ci` in a clone. Without development dependencies (`--omit=dev`) there is nothing to build it with: the
 * server then says at `/` how to build it. Nor does a build that fails make `npm ci` fail, because all else works without the console.
 * Plain JavaScript, because npm may run this with a Node that reads no TypeScript.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
if (existsSync(join(root, 'node_modules/vite/package.json'))) {
  try {
    const { build } = await import('vite')
    await build({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' })
  } catch (error) {
    console.warn(`the console was not built: ${error instanceof Error ? error.message : error}`)
  }
}
