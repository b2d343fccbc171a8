/** What an attacker has to work with. */
export interface Battlefield {
  /** The server under attack. */
  url: string
  /** A site of the attacker: `<site>/<kind>` is a hostile file, see `hostile-site.ts`. */
  site: string
  /** The address that the attacker calls from. */
  localAddress: string
  /** Aborted when the attack is to end. */
  signal: AbortSignal
  /** Notes the outcome of one attempt: a status, or 0 when the server closed the connection. */
  note(status: number): void
}

/** One way to misbehave, in a file of its own in `attacks/`. */
export interface Attack {
  /** How the table names it. */
  name: string
  /** Attacks until the signal ends it. Never throws for what the server does. */
  run(field: Battlefield): Promise<void>
}
