export { type ConsoleFiles, readConsoleFiles } from './console-files.ts'
export { addConsoleRoutes, missingPageSender } from './console-routes.ts'
