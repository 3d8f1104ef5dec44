/** The part of a logger that the API layer uses; pino implements it. */
export interface Logger {
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
