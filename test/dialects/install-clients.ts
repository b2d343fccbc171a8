/** Installs the stock clients of other search services, if they are missing and can be had. Run by `npm run test:dialects`. */
import { install } from './install.ts'

try {
  install()
} catch (error) {
  console.warn(`the stock clients could not be installed: ${error}`)
}
