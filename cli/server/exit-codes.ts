/** The exit codes of `svc`. */
export const exitCodes = {
  ok: 0,
  error: 1,
  /** Wrong command line or environment, or a database of a later release: running it again unchanged cannot help. */
  usage: 2,
  notSignedIn: 3,
  /** The user denied it, or waited too long. */
  denied: 4,
  unreachable: 5,
  /** The server met an error that nothing in it expected, and has ended what ran: start it again. */
  unexpected: 6,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An end that the caller can understand: its message goes to stderr without a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}
