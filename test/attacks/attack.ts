/** The means of an attacker. */
export interface Battlefield {
  /** The server under attack. */
  url: string
  /** A site of the attacker: `<site>/<kind>` is a hostile file, see `hostile-site.ts`. */
  site: string
  /** The address that the attacker calls from. */
  localAddress: string
  /** An address whose `X-Forwarded-For` the server trusts. */
  proxyAddress: string
  /** The token of the server's administrators, whose programs can be careless. */
  adminToken: string
  /** The path of a folder for the attack alone, on the machine of the server. The attack creates the folder. */
  dir: string
  /** Aborted when the attack must end. */
  signal: AbortSignal
  /** Notes the outcome of one attempt: a status, the exit code of a command, or 0 when the server closed the connection. */
  note(status: number): void
  /** Notes that the attack achieved what no attack may achieve, in words. */
  breach(what: string): void
}

/** One kind of attack, in a file of its own in `attacks/`. */
export interface Attack {
  /** The name in the table of outcomes. */
  name: string
  /** Attacks until the signal is aborted, and finishes what it has begun. Never throws because of the server's behavior. */
  run(field: Battlefield): Promise<void>
}
