/** The parts of autocannon that load.ts uses; it has no types of its own. */
declare module 'autocannon' {
  interface Target {
    method?: string
    path?: string
    headers?: Record<string, string>
  }
  interface Options {
    url: string
    connections: number
    amount: number
    overallRate?: number
    ignoreCoordinatedOmission?: boolean
    timeout?: number
    requests: {
      setupRequest(request: Target): Target
      onResponse(status: number, body: string, context: unknown, headers: Record<string, string>): void
    }[]
  }
  interface Instance extends PromiseLike<{ errors: number; timeouts: number; duration: number }> {
    on(event: 'response', listener: (client: unknown, status: number, bytes: number, ms: number) => void): void
  }
  export default function autocannon(options: Options): Instance
}
