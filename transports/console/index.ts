export { type ConsoleFiles, readConsoleFiles } from './console-files.ts'
export { addConsoleRoutes } from './console-routes.ts'
