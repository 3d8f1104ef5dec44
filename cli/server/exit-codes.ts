/** The exit codes of `svc`. */
export const exitCodes = {
  ok: 0,
  error: 1,
  /** Wrong command line or environment, or a database of a later release: a retry without changes cannot help */
  usage: 2,
  notSignedIn: 3,
  /** The user denied the sign-in or did not decide in time */
  denied: 4,
  unreachable: 5,
  /** The server stopped because of an unexpected error and must be started again */
  unexpected: 6,
  /** `svc plan --detailed-exitcode`: the files differ from the service */
  changes: 7,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected error: its message is printed to stderr without a stack. */
export class CliError extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CliError'
    this.exitCode = exitCode
  }
}
