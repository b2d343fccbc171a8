/** The parts of Express that errors.test.ts uses; it has no types of its own. */
declare module 'express' {
  interface Application {
    get(path: string, handler: (request: unknown, response: unknown) => Promise<unknown>): void
    listen(port: number, host: string): import('node:http').Server
    set(setting: string, value: unknown): void
  }
  export default function express(): Application
}
